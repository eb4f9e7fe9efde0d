/** HTTP methods that change nothing at the server. A request with another one has a length, and steps give it an idempotency key. */
export const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
