import type { Context } from './context.ts'

/** Nouns whose resources look like real ones that cost money or reach people. */
const nouns: ReadonlySet<string> = new Set(['numbers', 'calls', 'messaging', 'campaigns'])

/** Says once, on a terminal, that what the local platform shows is simulated. */
export async function noteSimulated({ world, words, notes, out, answers, connected, globals }: Context): Promise<void> {
  const isForPeople = out.settings.form === 'table' && world.streams.stdout.isTTY && world.streams.stderr.isTTY
  if (!isForPeople || globals.quiet || answers.size === 0 || !nouns.has(words.split(' ', 1)[0] as string)) return
  if ((await connected()).via !== 'remote') await notes.note('Local platform: numbers, calls and messages are simulated.')
}
