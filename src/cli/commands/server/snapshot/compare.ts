import { type ResourceDifference, snapshots } from '../../../../contract/control/snapshots.ts'
import { maskText } from '../../../../contract/values/mask.ts'
import { command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { safeLine } from '../../../terminal/safe-text.ts'
import { argument, nameOf } from './view.ts'

type Change = ResourceDifference['records'][number]

export const compare = command({
  endpoint: snapshots.compare,
  exits: ['finding'],
  argument: { ...argument, optional: true },
  examples: ['before-tests', 'before-tests --to after-tests', 'before-tests --limit 100 --json'],
  notes:
    'Shows what was created, changed and deleted from the first snapshot to the other, or to the current data. Secrets are masked, and long values are shortened. The counts are complete; --limit applies to the listed records. The exit code is 20 when there are differences.',
  async run(context, { argument: given, input }) {
    const name = await nameOf(context, given)
    const answer = await sendRequest(context, snapshots.compare, { ...input, name }, { progressText: 'Comparing' })
    if (!answer) return
    const { out } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      await out.record(answer, { view: { id: () => answer.from, columns: [], empty: '' } } as never)
    else for (const it of describe(answer.data)) await out.line(safeLine(it))
    return answer.data.length > 0 ? 'finding' : 'done'
  },
})

const signs = { created: '+', changed: '~', deleted: '-' } as const

function describe(differences: readonly ResourceDifference[]): string[] {
  if (differences.length === 0) return ['No differences.']
  return differences.flatMap((it) => {
    const named = it.records.length
    const total = it.created + it.changed + it.deleted
    return [
      `${it.resource}: ${it.created} created, ${it.changed} changed, ${it.deleted} deleted`,
      ...it.records.flatMap(recordLines),
      ...(named < total ? [`  ${total - named} more; pass --limit ${Math.min(1000, total)}`] : []),
    ]
  })
}

const recordLines = ({ change, id, name, fields }: Change): string[] => [
  `  ${signs[change]} ${name === null ? id : `${name} (${id})`}`,
  ...fields.map(
    (it) =>
      `      ${it.field}: ${it.before === maskText && it.after === maskText ? 'changed, not shown' : `${it.before ?? 'not set'} -> ${it.after ?? 'not set'}`}`,
  ),
]
