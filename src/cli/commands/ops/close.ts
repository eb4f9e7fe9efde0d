import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { command, type Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { entryArgument, resolveEntry } from '../../operations/resolve-entry.ts'
import { recordFlag } from '../../prompts/equivalent-command.ts'
import { isUnresolved, toShownEntry, view } from './view.ts'

const outcomes = ['done', 'refused'] as const
type Outcome = (typeof outcomes)[number]

export const close = command({
  exits: ['not_found', 'conflict'],
  summary: 'Record the outcome of an unresolved operation',
  argument: entryArgument,
  flags: [
    {
      flags: '--as <outcome>',
      describe: 'Outcome: done (it was carried out) or refused (it was not)',
      choices: outcomes,
    },
    { flags: '--reason <text>', describe: 'How you know; saved with the entry' },
  ],
  examples: [
    '0c9a4f12 --as refused --reason "Not on the invoice of November"',
    '0c9a4f12 --as done --reason "The customer has the message"',
  ],
  notes:
    'Changes only the journal of this machine. Run "parley ops reconcile" first, which asks the platform. A closed entry no longer blocks the same operation. Rows of a file that are closed as refused are sent by the next run.',
  view,
  async run(context, { argument, flags }) {
    const entry = await resolveEntry(context, argument, isUnresolved)
    if (!isUnresolved(entry))
      throw new ClientFailure({
        exit: 'conflict',
        code: 'already_settled',
        message: `Entry ${entry.id.slice(0, 8)} is already ${entry.state}. Nothing was changed.`,
        hint: `Show it: parley ops get ${entry.id.slice(0, 8)}.`,
      })
    const { as, reason } = await promptOutcome(context, flags)
    const journal = await context.journal()
    journal.recordOutcome(entry.id, as, { closed: reason })
    const after = journal.list().find((it) => it.id === entry.id)
    if (context.out.settings.form !== 'table' || context.out.settings.fields)
      return context.out.record(after ? toShownEntry(after) : entry, { view })
    await context.out.line(`Closed entry ${entry.id.slice(0, 8)} (${entry.endpoint}) as ${as}.`)
  },
})

/**
 * Returns outcome and reason, or prompts for them. @throws ClientFailure `usage` with the missing flags, without a
 * terminal
 */
async function promptOutcome(
  context: Context,
  flags: Invocation['flags'],
): Promise<{ readonly as: Outcome; readonly reason: string }> {
  const missing = [...(flags.as === undefined ? ['--as'] : []), ...(flags.reason === undefined ? ['--reason'] : [])]
  if (missing.length > 0 && !context.interactive)
    throw usageError(
      `Missing ${missing.join(' and ')}.`,
      'Pass --as done or --as refused, and say how you know with --reason.',
    )
  const as = flags.as === undefined ? await promptResult(context) : (String(flags.as) as Outcome)
  const reason = flags.reason === undefined ? await promptReason(context) : String(flags.reason)
  if (reason.trim() === '') throw usageError('--reason is empty.', 'Say how you know what happened.')
  return { as, reason }
}

async function promptResult(context: Context): Promise<Outcome> {
  const prompts = await context.prompts()
  const texts = { done: 'done: it was carried out', refused: 'refused: it was not carried out' }
  const as = await prompts.select(
    'What happened?',
    outcomes.map((value) => ({ name: texts[value], value })),
  )
  recordFlag(context, '--as', as)
  return as
}

async function promptReason(context: Context): Promise<string> {
  const prompts = await context.prompts()
  const reason = await prompts.input('How do you know?', {
    validate: (it) => it.trim() !== '' || 'Enter a reason.',
  })
  recordFlag(context, '--reason', reason)
  return reason
}
