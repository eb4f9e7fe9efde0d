/** Kinds of entries of the timeline, in the order of entries of the same time. Links to the inspector that people keep have these words. */
export const timelineKinds = ['request', 'event', 'delivery', 'run', 'message', 'call', 'ledger'] as const
export type TimelineKind = (typeof timelineKinds)[number]
