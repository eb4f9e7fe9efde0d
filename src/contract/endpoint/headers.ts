// Lower-case names of headers that clients and servers both use. Programs of other versions send and read them: they never change. Headers of
// automations are in automation-headers.ts, those of capabilities and ignored fields beside their parsers.

/** Id of a request, chosen by the client, in the request, its response and the logs of both. */
export const requestIdHeader = 'x-request-id'
/** Key under which a platform carries out a request once. */
export const idempotencyKeyHeader = 'idempotency-key'
/** Header of a response that was stored with an idempotency key. Its value is `true`. */
export const replayedHeader = 'idempotent-replayed'
/** Asks for the stored response of an earlier request with the same key, instead of a new one. */
export const recallHeader = 'parley-recall'
/** Token of the control API of a local platform. */
export const controlHeader = 'parley-control'
/** Name of the endpoint, in responses of endpoints that the specification does not state. */
export const assumedHeader = 'parley-assumed'
/** The clock of a local platform, in responses that ask to wait. */
export const clockHeader = 'parley-clock'
/** The only value of that header. */
export const clockFrozen = 'frozen'
