import Contracts
import TestKit

extension MatrixFixtures {
  static let catalog = [listing, comment]

  private static let listing = MatrixKind(
    name: "listing", api: CatalogAPI.self, path: "/v1/listings/{id}",
    open: [
      "GET /v1/listings/{id}", "GET /v1/listings/{id}/comments", "POST /v1/listings/{id}/comments",
      "PUT /v1/listings/{id}/like", "DELETE /v1/listings/{id}/like", "PUT /v1/listings/{id}/archive",
      "DELETE /v1/listings/{id}/archive",
    ],
    staff: ["DELETE /v1/listings/{id}"]
  ) { matrix, people in
    let id = try await beat(matrix, of: people.owner)
    return .init(id: id.rawValue, view: "/v1/listings/\(id)")
  }

  private static let comment = MatrixKind(
    name: "comment", api: CatalogAPI.self, path: "/v1/comments/{id}",
    open: [
      "GET /v1/comments/{id}/replies", "POST /v1/comments/{id}/replies", "PUT /v1/comments/{id}/like",
      "DELETE /v1/comments/{id}/like",
    ],
    staff: ["DELETE /v1/comments/{id}"],
    bodies: ["PATCH /v1/comments/{id}": #"{"text":"Mine"}"#]
  ) { matrix, people in
    let listing = try await beat(matrix, of: people.friend)
    let comment = try await people.owner.client.send(
      CatalogAPI.CommentOnListing(id: listing, text: CommentText(validating: "Fine")))
    return .init(id: comment.id.rawValue, view: "/v1/listings/\(listing)/comments")
  }
}
