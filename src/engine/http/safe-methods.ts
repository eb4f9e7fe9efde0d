/** HTTP methods that change nothing at the server. */
export const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS']
