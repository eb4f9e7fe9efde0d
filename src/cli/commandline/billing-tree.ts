import type { Noun } from '../tree.ts'

/** Commands about costs. */
export const billing: Noun = {
  summary: 'Balance, usage, subscriptions and forecast',
  verbs: {
    summary: { load: async () => (await import('../commands/billing/summary.ts')).summary },
    usage: { load: async () => (await import('../commands/billing/usage.ts')).usage },
  },
}
