/**
 * Reads of one thing whose answer is made of the account's rows alone: not of the time, the key that asks or the outside world.
 * The same question gets the same text until somebody writes.
 */
export const cacheableReads: ReadonlySet<string> = new Set(['tools.get', 'sipTrunks.get', 'knowledge.get'])
