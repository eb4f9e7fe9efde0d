import type { Noun } from '../tree.ts'
import { commandsOf } from './commands-of.ts'

const fromBilling = commandsOf(() => import('../commands/billing/commands.ts'))

/** Commands about costs. */
export const billing: Noun = {
  summary: 'Balance, usage, subscriptions and forecast',
  verbs: {
    summary: { load: fromBilling('summary') },
    usage: { load: fromBilling('usage') },
  },
}
