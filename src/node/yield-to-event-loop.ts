/** Lets timers, signals, sockets and other work of the process run before the caller continues. */
export const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
