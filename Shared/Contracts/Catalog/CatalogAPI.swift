/// Listings, products, posts, exercises, the site, contact messages and the newsletter. An area's endpoints and
/// problems are in the file named below, the types that they exchange beside it.
public enum CatalogAPI: ServiceAPI {
  public static let name = "catalog"
  public static let summary = "Listings, products, posts, exercises, the site, contact messages and the newsletter"
  public static let endpoints: [any Endpoint.Type] = [
    // ListingEndpoints.swift
    ListListings.self, CreateListing.self, GetListing.self, UpdateListing.self, DeleteListing.self,
    // ListingAdministrationEndpoints.swift
    AdminUpdateListing.self, AdminDeleteListing.self,
    // LikeEndpoints.swift
    LikeListing.self, UnlikeListing.self, ArchiveListing.self, UnarchiveListing.self, ListArchive.self, LikePost.self,
    UnlikePost.self, LikeComment.self, UnlikeComment.self,
    // CommentEndpoints.swift
    ListListingComments.self, CommentOnListing.self, ListPostComments.self, CommentOnPost.self, ListReplies.self,
    ReplyToComment.self, UpdateComment.self, DeleteComment.self,
    // ProductEndpoints.swift
    ListProducts.self, CreateProduct.self, GetProduct.self, UpdateProduct.self, DeleteProduct.self,
    // VariantEndpoints.swift
    AddVariant.self, UpdateVariant.self, RetireVariant.self,
    // ProductTypeEndpoints.swift
    ListProductTypes.self, CreateProductType.self,
    // StockEndpoints.swift
    GetStock.self, PutStock.self,
    // ProductImportEndpoints.swift
    ImportProducts.self,
    // PostEndpoints.swift
    ListPosts.self, CreatePost.self, GetPost.self, UpdatePost.self, DeletePost.self,
    // PostImportEndpoints.swift
    ImportPosts.self,
    // ExerciseEndpoints.swift
    ListExercises.self, GetExercise.self, ListSavedExercises.self, SaveExercise.self, UnsaveExercise.self,
    // ExerciseSharingEndpoints.swift
    ShareExercise.self, UnshareExercise.self, ListSharedExercises.self, ReactToExercise.self,
    RemoveExerciseReaction.self,
    // ContactMessageEndpoints.swift
    SendContactMessage.self, ListContactMessages.self, GetContactMessage.self, UpdateContactMessage.self,
    AnswerContactMessage.self, DeleteContactMessage.self,
    // NewsletterEndpoints.swift
    Subscribe.self, SubscribeMe.self, ConfirmSubscription.self, Unsubscribe.self, UnsubscribeMe.self,
    SendNewsletterIssue.self, ListNewsletterIssues.self, GetNewsletterIssue.self,
    // NewsletterPages.swift
    ShowConfirmation.self, ShowUnsubscription.self, SendConfirmationForm.self, SendUnsubscriptionForm.self,
    // SiteEndpoints.swift
    GetSite.self, PutSite.self,
    // ToolEndpoints.swift
    ListTools.self, CreateTool.self, UpdateTool.self, DeleteTool.self,
    // EnumerationEndpoints.swift
    ListEnumerations.self,
    // SaleEndpoints.swift
    GetSaleItems.self, ReserveStock.self, CommitReservation.self, ReduceReservation.self,
    ReleaseReservation.self,
  ]
}

public typealias ListingID = ID<Listing>
public typealias ProductID = ID<Product>
public typealias VariantID = ID<Product.Variant>
