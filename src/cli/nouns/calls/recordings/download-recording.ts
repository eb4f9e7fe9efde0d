import { createHash } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { readRetryAfter } from '../../../../client/retry-policy.ts'
import { openHttpStream } from '../../../../engine/http/http-client.ts'
import { StepFailure } from '../../../../engine/pieces/step-failure.ts'
import { fileDigest } from '../../../../node/file-digest.ts'
import { removeFile, renameFile } from '../../../../node/operating-system.ts'
import { realTime } from '../../../../node/real-time.ts'
import { syncFolder } from '../../../../node/replace-file.ts'
import { withAnySignal } from '../../../../node/time-limit.ts'
import type { OutsidePolicy } from '../../../program/connection/outside-policy.ts'
import type { System } from '../../../program/system.ts'
import { namingFile, partSuffix } from './manifest.ts'

/** A recording in its file. */
export interface SavedRecording {
  readonly file: string
  readonly sha256: string
  readonly size_bytes: number
  readonly content_type: string | null
}

/** The link of a recording has expired, or its server has no file for it. The call may have a new one. */
export class LinkInvalid extends Error {
  readonly isExpired: boolean

  constructor(message: string, isExpired: boolean) {
    super(message)
    this.isExpired = isExpired
  }
}
/** The recording could not be downloaded; the message says why. */
export class DownloadFailed extends Error {}

/** A failure after which another attempt may succeed. */
class TemporaryFailure extends Error {
  /** Milliseconds that the server asks to wait. */
  readonly askedMs: number

  constructor(message: string, askedMs = 0) {
    super(message)
    this.askedMs = askedMs
  }
}

/**
 * Endings of file names by media type. The name and the ending that a server gives are never used. `findSavedRecording` finds
 * files of earlier versions by the endings: they are added, not removed.
 */
const endings: Readonly<Record<string, string>> = {
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/m4a': 'm4a',
  'audio/mp3': 'mp3',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/webm': 'webm',
  'audio/x-m4a': 'm4a',
  'audio/x-wav': 'wav',
}
/** Ending of recordings whose media type does not say what they are. */
const otherEnding = 'bin'
const allEndings: readonly string[] = [...new Set(Object.values(endings)), otherEnding]

/** Media types of a file that is not a page or an error. */
const isRecordingType = (type: string): boolean =>
  /^(?:audio|video)\/|^(?:application|binary)\/octet-stream$|^application\/ogg$/.test(type)

/** Statuses of links that have expired. */
const expiredStatuses: ReadonlySet<number> = new Set([401, 403, 410])

/** Maximum size of a recording in bytes: a day of uncompressed speech is smaller. */
export const maxRecordingBytes = 2 * 1024 ** 3

const attempts = 3
/** First pause between attempts in milliseconds; it doubles. Longest pause that a server can ask for. */
const pauseMs = { first: 500, max: 60_000 } as const
/** Milliseconds until the response, and between two parts of it. */
const idleMs = 30_000

/**
 * Returns the file of an earlier run that was stopped after it had saved a recording and before it had recorded that. Files have their final
 * name only when they are whole.
 */
export async function findSavedRecording(folder: string, callId: string): Promise<SavedRecording | undefined> {
  const file = allEndings.map((ending) => `${callId}.${ending}`).find((it) => existsSync(join(folder, it)))
  if (file === undefined) return undefined
  const [content_type = null] = Object.entries(endings).find(([, ending]) => file.endsWith(`.${ending}`)) ?? []
  const path = join(folder, file)
  return { file, sha256: await fileDigest(path), size_bytes: statSync(path).size, content_type }
}

/** What a download needs beside its address. */
export interface DownloadOptions {
  readonly system: Pick<System, 'sleep'>
  readonly outside: OutsidePolicy
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * Downloads a recording to `<call id>.<ending>` in a folder: under another name first, so that a file of that name is whole. A response
 * that breaks off, or is shorter than announced, is discarded and requested again as a whole, so that no file has parts of two versions.
 * @throws LinkInvalid, DownloadFailed, and errors of the file system
 */
export async function downloadRecording(
  url: string,
  callId: string,
  options: DownloadOptions,
): Promise<SavedRecording> {
  const { system, signal } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await downloadOnce(url, callId, options)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const isTemporary = error instanceof TemporaryFailure || (error instanceof StepFailure && error.isTemporary)
      if (!isTemporary && !(error instanceof StepFailure)) throw error
      const askedMs = error instanceof TemporaryFailure ? error.askedMs : 0
      if (!isTemporary || attempt === attempts || askedMs > pauseMs.max) throw new DownloadFailed(error.message)
      await system.sleep(Math.max(pauseMs.first * 2 ** (attempt - 1), askedMs), signal)
    }
  }
}

async function downloadOnce(
  url: string,
  callId: string,
  { outside, folder, signal: stop }: DownloadOptions,
): Promise<SavedRecording> {
  if (!URL.canParse(url)) throw new DownloadFailed('The link is not a valid URL.')
  const part = join(folder, `${callId}${partSuffix}`)
  return withAnySignal([stop], async (signal, abort) => {
    const idle = (): void => abort(new TemporaryFailure(`The server did not answer for ${idleMs / 1000} seconds.`))
    let timer = realTime.setTimeout(idle, idleMs)
    try {
      const request = { method: 'GET', url, headers: await outside.headersFor(url), timeout: idleMs }
      const response = await openHttpStream(request, signal, outside.policy)
      const type = requireRecording(response)
      const hash = createHash('sha256')
      let size = 0
      const file = await open(part, 'w', 0o600)
      try {
        for await (const chunk of response.body) {
          realTime.clearTimeout(timer)
          timer = realTime.setTimeout(idle, idleMs)
          hash.update(chunk)
          size += chunk.length
          await file.writeFile(chunk)
        }
        const announced = response.headers['content-length']
        if (announced !== undefined && Number(announced) !== size)
          throw new TemporaryFailure(`The server sent ${size} of ${announced} bytes.`)
        if (size === 0) throw new DownloadFailed('The server sent an empty file.')
        await file.sync()
      } finally {
        response.close()
        await file.close()
      }
      const name = `${callId}.${(type === null ? undefined : endings[type]) ?? otherEnding}`
      renameFile(part, join(folder, name))
      syncFolder(folder)
      return { file: name, sha256: hash.digest('hex'), size_bytes: size, content_type: type }
    } catch (error) {
      removeFile(part)
      if (signal.aborted && !stop.aborted) throw signal.reason
      throw namingFile(error, part)
    } finally {
      realTime.clearTimeout(timer)
    }
  })
}

/** Returns the media type of a recording, or null. @throws LinkInvalid, DownloadFailed, TemporaryFailure for another response */
function requireRecording({
  status,
  headers,
  close,
}: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly close: () => void
}): string | null {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const problem = (): Error | undefined => {
    if (expiredStatuses.has(status)) return new LinkInvalid(`The server answered ${status}.`, true)
    if (status === 404) return new LinkInvalid('The server has no file at this link: it answered 404.', false)
    if (status === 429 || status >= 500)
      return new TemporaryFailure(
        `The server answered ${status}.`,
        (readRetryAfter(headers, undefined, realTime.now()) ?? 0) * 1000,
      )
    if (status !== 200) return new DownloadFailed(`The server answered ${status}.`)
    if (type !== undefined && !isRecordingType(type))
      return new DownloadFailed(`The server answered with ${type.slice(0, 60)}, which is not a recording.`)
    return (headers['content-encoding'] ?? 'identity') === 'identity'
      ? undefined
      : new DownloadFailed('The server compressed the recording.')
  }
  const error = problem()
  if (!error) return type ?? null
  close()
  throw error
}
