import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { appendLines, parseJsonLine, readLines } from '../../../node/ndjson.ts'
import { dataDir } from '../../program/configuration/app-folders.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import type { System } from '../../program/system.ts'

/** What an unfinished replay has sent. It survives the end of the process at any moment. */
export interface ReplayProgress {
  /** Id of this replay, the same after an interruption. */
  readonly replay: string
  /** Whether an earlier process was interrupted in this replay. */
  readonly isResumed: boolean
  has(event: string): boolean
  /** Saves an event as sent, before it returns. */
  add(event: string): void
  /** Forgets the replay: the next one starts at the beginning. */
  finish(): void
  close(): void
}

/**
 * Opens the progress of replaying a folder to a target. @throws ClientFailure `conflict` while another process replays it
 */
export function openReplayProgress(system: System, folder: string, target: string): ReplayProgress {
  const name = crypto().createHash('sha256').update(`${folder}\0${target}`).digest('hex').slice(0, 16)
  const file = join(dataDir(system), 'events', `replay-${name}.ndjson`)
  const { release } = lockWork(
    `${file}.lock`,
    system,
    (it) => `${it} is replaying ${folder} to ${target}. Nothing was sent.`,
  )
  const lines = [...readLines(file)].map((it) => parseJsonLine(it) ?? {})
  const started = lines.find((it) => typeof it.replay === 'string')?.replay
  const sent = new Set(lines.flatMap((it) => (typeof it.sent === 'string' ? [it.sent] : [])))
  const replay = typeof started === 'string' ? started : crypto().randomUUID()
  if (started === undefined) appendLines(file, [{ replay }], { isDurable: true })
  return {
    replay,
    isResumed: sent.size > 0,
    has: (event) => sent.has(event),
    add(event) {
      sent.add(event)
      appendLines(file, [{ sent: event }], { isDurable: true })
    },
    finish: () => rmSync(file, { force: true }),
    close: release,
  }
}
