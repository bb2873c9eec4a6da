public enum StudySetSubject {}
public typealias StudySetID = ID<StudySetSubject>
public enum CardSubject {}
public typealias CardID = ID<CardSubject>
