import { resolve } from 'node:path'
import { type Call, calls } from '../../../../contract/resources/calls.ts'
import { outsidePolicy } from '../../../program/connection/outside-policy.ts'
import type { Context } from '../../../program/context.ts'
import { isInProgress } from '../wait.ts'
import {
  DownloadFailed,
  type DownloadOptions,
  downloadRecording,
  findSavedRecording,
  LinkInvalid,
  maxRecordingBytes,
  type SavedRecording,
} from './download-recording.ts'
import { type Manifest, openManifest, type RecordingEntry } from './manifest.ts'

/** Downloads at a time. */
const concurrency = 4

/** A call with what is known of its recording; null while the call is in progress. */
export interface RecordedCall {
  readonly call: Call
  readonly recording: RecordingEntry | null
  /** Whether this run has downloaded it. */
  readonly isNew: boolean
}

/** Ids of calls that can be part of a file name. Any other id is not used as one. */
const fileId = /^\d{1,20}$/

/**
 * Downloads the recordings of calls to a folder while the calls are read, several at a time, in their order. A page of calls is read only when
 * the downloads of the one before are nearly done, so that links are used while they are fresh. Ends with the first error of the file system.
 */
export async function* saveRecordings(
  context: Context,
  source: AsyncIterable<Call>,
  shownFolder: string,
): AsyncGenerator<RecordedCall> {
  const { system } = context
  const manifest = await openManifest(context, resolve(system.cwd, shownFolder), shownFolder)
  const stop = new AbortController()
  const interrupt = (): void => stop.abort(system.signal.reason)
  system.signal.addEventListener('abort', interrupt, { once: true })
  const running: Promise<RecordedCall>[] = []
  try {
    const outside = await outsidePolicy(context, maxRecordingBytes)
    const options: DownloadOptions = { system, outside, folder: manifest.folder, signal: stop.signal }
    for await (const call of source) {
      const saving = saveOne(context, manifest, call, options)
      // An error is thrown when it is the turn of its call.
      saving.catch(() => {})
      running.push(saving)
      if (running.length >= concurrency) yield await (running.shift() as Promise<RecordedCall>)
    }
    while (running.length > 0) yield await (running.shift() as Promise<RecordedCall>)
  } finally {
    stop.abort(new Error('Another recording could not be saved.'))
    await Promise.allSettled(running)
    system.signal.removeEventListener('abort', interrupt)
    manifest.close()
  }
}

async function saveOne(
  context: Context,
  manifest: Manifest,
  call: Call,
  options: DownloadOptions,
): Promise<RecordedCall> {
  const known = await manifest.check(call.id)
  if (known?.status === 'saved') return { call, recording: known, isNew: false }
  // The recording of a call in progress would be cut off.
  if (isInProgress(call)) return { call, recording: null, isNew: false }
  const damaged = known?.status === 'damaged' ? known : undefined
  const found = await findOutcome(context, call, options, damaged !== undefined)
  const checked_at = new Date(context.system.now()).toISOString()
  if (damaged && found.status !== 'saved') {
    const recording = { ...damaged, checked_at, error: `${damaged.error}, and ${whyNotReplaced(found)}.` }
    manifest.record(recording)
    return { call, recording, isNew: false }
  }
  const isSaved = found.status === 'saved'
  const recording: RecordingEntry = {
    call_id: call.id,
    status: found.status,
    file: isSaved ? found.saved.file : null,
    sha256: isSaved ? found.saved.sha256 : null,
    size_bytes: isSaved ? found.saved.size_bytes : null,
    content_type: isSaved ? found.saved.content_type : null,
    call_created_at: call.created_at,
    checked_at,
    error: found.status === 'expired' || found.status === 'failed' ? found.error : null,
  }
  manifest.record(recording)
  return { call, recording, isNew: isSaved && !found.isFound }
}

type Outcome =
  | { readonly status: 'saved'; readonly saved: SavedRecording; readonly isFound?: true }
  | { readonly status: 'none' }
  | { readonly status: 'expired' | 'failed'; readonly error: string }

/** Returns why a damaged file is still there, as a clause. */
function whyNotReplaced(found: Exclude<Outcome, { readonly status: 'saved' }>): string {
  if (found.status === 'none') return 'the call has no link to its recording'
  if (found.status === 'expired') return 'its link has expired'
  return `it could not be downloaded again: ${found.error.replace(/\.$/, '')}`
}

/** Finds or downloads the recording of a call. A file that is damaged is not taken for one of an earlier run. */
async function findOutcome(
  context: Context,
  { id, recording_url: url }: Call,
  options: DownloadOptions,
  isDamaged: boolean,
): Promise<Outcome> {
  const name = String(id)
  if (!fileId.test(name)) return { status: 'failed', error: 'The id of the call is not a number.' }
  const earlier = isDamaged ? undefined : await findSavedRecording(options.folder, name)
  if (earlier) return { status: 'saved', saved: earlier, isFound: true }
  if (!url) return { status: 'none' }
  try {
    return { status: 'saved', saved: await downloadFresh(context, id, url, options) }
  } catch (error) {
    if (error instanceof LinkInvalid) return { status: error.isExpired ? 'expired' : 'failed', error: error.message }
    if (error instanceof DownloadFailed) return { status: 'failed', error: error.message }
    throw error
  }
}

/** Downloads a recording. A platform may give a new link for one that is not valid any more, so the call is read once more. */
async function downloadFresh(
  context: Context,
  id: number,
  url: string,
  options: DownloadOptions,
): Promise<SavedRecording> {
  try {
    return await downloadRecording(url, String(id), options)
  } catch (error) {
    if (!(error instanceof LinkInvalid)) throw error
    const { recording_url: fresh } = await context.call(calls.get, { id })
    if (!fresh || fresh === url) throw error
    return downloadRecording(fresh, String(id), options)
  }
}
