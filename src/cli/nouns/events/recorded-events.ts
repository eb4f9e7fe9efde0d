import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '../../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile } from '../../../node/replace-file.ts'
import { usageError } from '../../program/errors/usage-error.ts'

/** An event in a file, which users keep and `events replay` of later versions reads: fields are added and not renamed. */
export interface RecordedEvent {
  /** Id of the message, the same in each delivery: `webhook-id`. */
  readonly id: string
  readonly kind: string
  readonly payload: unknown
}

/** Names of files of events, with the number by which they are ordered. Recordings are recognized by it, so it never changes. */
const filePattern = /^(\d{6})-.+\.json$/

/**
 * Opens a folder for events, and returns a function that saves each in a separate file. The names have the order of the
 * events. An event that is in the folder is not saved again.
 */
export function openRecording(folder: string): (event: RecordedEvent) => void {
  makeFolder(folder)
  const files = readdirSync(folder).filter((it) => filePattern.test(it))
  let last = Math.max(0, ...files.map((it) => Number(it.slice(0, 6))))
  const names = new Set(files.map((it) => it.slice(7)))
  return (event) => {
    const name = `${event.kind}-${event.id.replace(/[^\w-]/g, '_')}.json`
    if (names.has(name)) return
    names.add(name)
    last++
    createFile(join(folder, `${String(last).padStart(6, '0')}-${name}`), `${stringifyJson(event, null, 2)}\n`)
  }
}

/** Reads the events of a folder, in their order. @throws ClientFailure `usage` for a folder without events and a damaged file */
export function readRecording(folder: string): RecordedEvent[] {
  let files: string[]
  try {
    files = readdirSync(folder).filter((it) => filePattern.test(it))
  } catch {
    throw usageError(`Folder ${folder} not found.`, 'Record events: parley events listen --record <folder>')
  }
  if (files.length === 0)
    throw usageError(`${folder} has no recorded events.`, `Record some: parley events listen --record ${folder}`)
  return files.sort().map((name) => {
    const file = join(folder, name)
    const event = parseEvent(readFileSync(file, 'utf8'))
    if (isObject(event) && typeof event.id === 'string' && typeof event.kind === 'string' && isObject(event.payload))
      return { id: event.id, kind: event.kind, payload: event.payload }
    throw usageError(`${file} is not a recorded event. Nothing was sent.`, 'Remove the file, or record it again.')
  })
}

function parseEvent(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
