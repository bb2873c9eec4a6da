/// Listings, products, posts, exercises, the site and its letters. Each file beside this one holds the calls of one of
/// them.
public enum CatalogAPI: ServiceAPI {
  public static let name = "catalog"
  public static let summary = "Listings, products, posts, exercises, the site and its letters"
  public static let endpoints: [any Endpoint.Type] = [
    // Stock.swift
    GetSaleItems.self, ReserveStock.self, CommitReservation.self, ReleaseReservation.self,
  ]
}

public enum ListingSubject {}
public typealias ListingID = ID<ListingSubject>
public enum ProductSubject {}
public typealias ProductID = ID<ProductSubject>
public enum VariantSubject {}
public typealias VariantID = ID<VariantSubject>
