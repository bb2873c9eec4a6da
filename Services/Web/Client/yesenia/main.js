// @ts-check
/** The shop: what visitors and customers see. */
import { signedIn, startApp } from "../shared/start.js";
import { followUser } from "./cart.js";
import { frame } from "./components/frame.js";

startApp({
  title: "Yesenia Designs",
  links: () => [],
  frame,
  routes: [
    { path: "/", screen: () => import("./screens/home.js") },
    { path: "/blog", screen: () => import("./screens/blog.js") },
    { path: "/blog/{id}", screen: () => import("./screens/post.js") },
    { path: "/videos", screen: () => import("./screens/videos.js") },
    { path: "/shop", screen: () => import("./screens/shop.js") },
    { path: "/products/{id}", screen: () => import("./screens/product.js") },
    { path: "/cart", screen: () => import("./screens/cart.js") },
    { path: "/checkout", guard: signedIn, screen: () => import("./screens/checkout.js") },
    { path: "/orders", guard: signedIn, screen: () => import("./screens/orders.js") },
    { path: "/orders/{id}", guard: signedIn, screen: () => import("./screens/order.js") },
    { path: "/orders/{id}/receipt", guard: signedIn, screen: () => import("./screens/receipt.js") },
    { path: "/tools", screen: () => import("./screens/tools.js") },
    { path: "/newsletter", screen: () => import("./screens/newsletter.js") },
    { path: "/contact", screen: () => import("./screens/contact.js") },
  ],
}).then(followUser);
