import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../node/make-folder.ts'
import { createFile } from '../../../node/replace-file.ts'

/** An event in a file. */
export interface RecordedEvent {
  /** Id of the message, the same in each delivery: `webhook-id`. */
  readonly id: string
  readonly kind: string
  readonly payload: unknown
}

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
    createFile(join(folder, `${String(last).padStart(6, '0')}-${name}`), `${JSON.stringify(event, null, 2)}\n`)
  }
}
