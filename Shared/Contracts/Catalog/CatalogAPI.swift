/// Listings, products, posts, exercises, the site, contact messages and the newsletter. Each area's endpoints are
/// declared in a separate file.
public enum CatalogAPI: ServiceAPI {
  public static let name = "catalog"
  public static let summary = "Listings, products, posts, exercises, the site, contact messages and the newsletter"
  public static let endpoints: [any Endpoint.Type] = [
    // Listings.swift
    ListListings.self, CreateListing.self, GetListing.self, UpdateListing.self, DeleteListing.self,
    // Likes.swift
    LikeListing.self, UnlikeListing.self, ArchiveListing.self, UnarchiveListing.self, ListArchive.self, LikePost.self,
    UnlikePost.self, LikeComment.self, UnlikeComment.self,
    // Comments.swift
    ListListingComments.self, CommentOnListing.self, ListPostComments.self, CommentOnPost.self, ListReplies.self,
    ReplyToComment.self, UpdateComment.self, DeleteComment.self,
    // Products.swift
    ListProducts.self, CreateProduct.self, GetProduct.self, UpdateProduct.self, DeleteProduct.self,
    // ProductTypes.swift
    ListProductTypes.self, CreateProductType.self,
    // StockLevels.swift
    GetStock.self, PutStock.self,
    // ProductImport.swift
    ImportProducts.self,
    // Posts.swift
    ListPosts.self, CreatePost.self, GetPost.self, UpdatePost.self, DeletePost.self,
    // Exercises.swift
    ListExercises.self, GetExercise.self, ListSavedExercises.self, SaveExercise.self, UnsaveExercise.self,
    // ContactMessages.swift
    SendContactMessage.self, ListContactMessages.self, GetContactMessage.self, UpdateContactMessage.self,
    AnswerContactMessage.self, DeleteContactMessage.self,
    // Newsletter.swift
    Subscribe.self, SubscribeMe.self, ConfirmSubscription.self, Unsubscribe.self, SendNewsletterIssue.self,
    ListNewsletterIssues.self, GetNewsletterIssue.self,
    // Site.swift
    GetSite.self, PutSite.self,
    // Tools.swift
    ListTools.self, CreateTool.self, UpdateTool.self, DeleteTool.self,
    // Stock.swift
    GetSaleItems.self, ReserveStock.self, CommitReservation.self, ReleaseReservation.self,
  ]
}

public typealias ListingID = ID<Listing>
public typealias ProductID = ID<Product>
public typealias VariantID = ID<Product.Variant>
