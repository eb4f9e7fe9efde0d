import { deliveries } from '../../../../contract/control/deliveries.ts'
import { command } from '../../../commandline/command.ts'
import { limitFlags, parseLimit } from '../../../input/count-flag.ts'
import { printList } from '../../../output/print-list.ts'
import { view } from './view.ts'

/** Maximum number of deliveries in one response. */
const maxDeliveries = 1000

export const list = command({
  endpoint: deliveries.list,
  filledFields: ['limit', 'since'],
  flags: limitFlags('Maximum number of deliveries, 1-1000 (default: 100)'),
  isList: true,
  examples: ['', '--failed --since 24h', '--event conversation_ended --json'],
  notes: `--all, --filter and --sort read the newest ${maxDeliveries} deliveries.`,
  view,
  run(context, { input, flags }) {
    const limit = context.globals.all ? maxDeliveries : parseLimit(flags, maxDeliveries)
    return printList(
      context,
      deliveries.list,
      { ...input, ...(limit !== undefined && { limit }) },
      { newest: { max: maxDeliveries, plural: 'deliveries', narrowing: '--event, --status or --account' } },
    )
  },
})
