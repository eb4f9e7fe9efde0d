import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** Node announces each request that an HTTP server of this process received, before it is handled. */
const channel = 'http.server.request.start'

/**
 * Calls `onArrival` with the socket of each HTTP request that this process receives, before the request is handled. So
 * the store learns of requests without a call from the server. Returns the function that ends it.
 */
export function watchRequestArrivals(onArrival: (socket: object) => void): () => void {
  const listener = (message: unknown): void => onArrival((message as { readonly socket: object }).socket)
  subscribe(channel, listener)
  return () => void unsubscribe(channel, listener)
}
