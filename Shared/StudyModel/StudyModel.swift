// The parts follow.
