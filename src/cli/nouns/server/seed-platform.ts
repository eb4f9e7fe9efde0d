import type { platform } from '../../../contract/control/platform.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import { requireControlAccess } from '../../program/connection/require-capability.ts'
import { sendRequest } from '../../program/connection/send-request.ts'
import type { Context } from '../../program/context.ts'
import type { View } from '../../program/output/form.ts'
import { readSeedFile } from './seed-file.ts'
import { parseClock, parseSeed } from './start-settings.ts'

/** Flags of the commands that load sample data. */
export const seedFlags = [
  { flags: '--seed <n>', describe: 'Number that makes the sample data and its secrets reproducible' },
  {
    flags: '--file <path>',
    describe: 'Sample data as YAML or JSON instead of the built-in one (parley server export); - for standard input',
  },
] as const

interface SeedResult {
  readonly message: string
  readonly key: string
}

export const view: View<SeedResult> = {
  id: (it) => it.key,
  columns: [
    { key: 'message', title: 'Result', priority: 1 },
    { key: 'key', title: 'Key', priority: 1 },
  ],
  empty: '',
}

/**
 * Seeds or resets the local platform and prints the new key. A platform created by this command starts empty, so that
 * `--seed` takes effect.
 */
export async function seedPlatform(
  context: Context,
  endpoint: typeof platform.seed | typeof platform.reset,
  { seed, file, clock }: Invocation['flags'],
): Promise<void> {
  await requireControlAccess(context)
  const answer = await sendRequest(context, endpoint, {
    ...(seed !== undefined && { seed: parseSeed(seed) }),
    ...(clock !== undefined && { clock: parseClock(clock) }),
    ...(file !== undefined && { data: await readSeedFile(context, String(file)) }),
  })
  if (answer) await context.out.record({ message: answer.message, key: answer.token }, { view })
}
