/**
 * Returns an id in the form of a UUID, by which a request is found in logs. Keys that must never repeat come from
 * `crypto.randomUUID` instead. Loading `node:crypto` for the id of every request would make a short command about 12%
 * slower (15 ms of CPU time on a busy machine).
 */
export const createRequestId = (random: () => number): string =>
  '00000000-0000-4000-8000-000000000000'.replace(/[08]/g, (digit) =>
    digit === '8' ? (8 + Math.floor(random() * 4)).toString(16) : Math.floor(random() * 16).toString(16),
  )
