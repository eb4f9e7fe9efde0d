import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { RunningServer } from '../../../system.ts'
import { command } from '../../commandline/command.ts'
import { dataDir } from '../../configuration/app-folders.ts'
import { withConfiguration } from '../../configuration/server-configuration.ts'
import { findReachableServer } from '../../connection/connect.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { warnAboutPassword } from './database-settings.ts'
import type { DetachedServer } from './start-detached.ts'
import { startFlags } from './start-flags.ts'
import { describeExposure, parseDrainLimits, parseServeOptions } from './start-settings.ts'

export const start = command({
  callsPlatform: true,
  summary: 'Start a Parley server for the data folder',
  risk: 'write',
  flags: [
    ...startFlags,
    {
      flags: '--detach',
      describe:
        'Start the server in the background, and return when it answers requests; --json prints url, key, pid and log',
    },
    { flags: '--wait <seconds>', describe: 'Maximum seconds to wait with --detach (default: 60)' },
  ],
  examples: [
    '',
    '--port 0',
    '--database postgres://parley@127.0.0.1/parley',
    '--vocabulary public',
    '--model-url http://127.0.0.1:11434/v1 --model llama3.2',
    '--model-script intents.yaml',
    '--log json --drain-delay 5',
    '--config server.yaml',
    '--detach --port 0 --seed 7 --json',
  ],
  notes:
    'Runs until Ctrl-C or "parley server stop", with --detach in the background. While it runs, commands that use the profile "local" connect to it.',
  async run(context, { flags: given }) {
    const { system } = context
    const flags = await withConfiguration(system, given, startFlags)
    const limits = parseDrainLimits(flags)
    if (given.wait !== undefined && given.detach !== true)
      throw usageError('--wait requires --detach.', 'Pass both: --detach --wait 60.')
    const background = given.detach === true ? await import('./start-detached.ts') : undefined
    const waitMs = background?.parseWait(given.wait)
    const options = await parseServeOptions(context, flags, given)
    await warnAboutPassword(context, given)
    const dir = dataDir(system)
    const running = await findReachableServer(system, dir)
    if (running)
      throw new ClientFailure({
        exit: 'conflict',
        code: 'running',
        message: `A server is already running for this data folder: ${running.url} (process ${running.pid}).`,
        hint: 'Stop it: parley server stop.',
      })
    if (background) return printDetached(context, await background.startDetached(context, dir, waitMs))
    const server = await system.serve({ ...options, dataDir: dir, stopLimitMs: limits.limitMs })
    // A log has lines of its own.
    const hasLog = options.logFormat !== undefined
    try {
      await printStarted(context, server, hasLog)
      if (options.limit && !hasLog && context.out.settings.form === 'table')
        await context.notes.note(
          `Rate limit of each account: ${options.limit.max} requests in ${options.limit.seconds} s. To change it: --rate-limit.`,
        )
      for (const it of describeExposure(options)) await context.notes.warn(it)
      await Promise.race([untilAborted(system.signal), server.drainRequested])
      if (!hasLog) await context.notes.note('Stopping.')
    } finally {
      // Ctrl-C is pressed by somebody who waits.
      const isInterrupted = system.signal.reason === 130
      await server.stop(isInterrupted ? { ...limits, delayMs: 0 } : limits)
    }
    // Stopping the server with a signal or with "server stop" is its normal end.
    return 'done'
  },
})

async function printDetached({ out, notes }: Context, server: DetachedServer): Promise<undefined> {
  const { url, pid, log } = server
  if (out.settings.form !== 'table') {
    await out.record(server, { view: { id: (it) => it.url, columns: [], empty: '' } })
    return
  }
  await out.line(`Listening on ${url} (process ${pid})`)
  await notes.note(`Output of the server: ${log}`)
  await notes.note('To create an API key: parley server accounts key 1. To stop: parley server stop.')
}

async function printStarted(
  { out, notes, system }: Context,
  { url, key, isNew, database, inspector }: Pick<RunningServer, 'url' | 'key' | 'isNew' | 'database' | 'inspector'>,
  hasLog: boolean,
): Promise<void> {
  if (out.settings.form !== 'table')
    return out.record({ url, key }, { view: { id: (it) => it.url, columns: [], empty: '' } })
  await out.line(`Listening on ${url}`)
  if (hasLog) return
  if (inspector !== null) await notes.note(`Inspector: ${inspector} (to open it: parley ui)`)
  if (database !== null) await notes.note(`Database: ${database}`)
  // The output of a server ends up in logs. Only the person who starts a new platform on a terminal sees the key.
  const isShown = isNew && key !== null && system.streams.stderr.isTTY
  await notes.note(`Try: curl -H "Authorization: Bearer ${isShown ? key : '<key>'}" ${url}/api/user/api-keys`)
  if (!isShown) await notes.note('To create an API key: parley server accounts key 1.')
  await notes.note('To stop: Ctrl-C or parley server stop.')
}

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
