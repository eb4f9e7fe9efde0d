import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crypto } from '../../../node/crypto.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { renameFile } from '../../../node/operating-system.ts'
import { linkFile } from '../../../node/replace-file.ts'

const checksumBytes = 32

const checksumOf = (content: Buffer): Buffer => crypto().createHash('sha256').update(content).digest()

/** The template that was used last: a program that tests itself creates many platforms. */
let lastTemplate: { readonly template: string; readonly content: Buffer } | undefined

/** Returns the database in a template; undefined if the template is missing or damaged. */
function readTemplate(template: string): Buffer | undefined {
  if (lastTemplate?.template === template) return lastTemplate.content
  try {
    const all = readFileSync(template)
    const content = all.subarray(0, -checksumBytes)
    if (content.length === 0 || !checksumOf(content).equals(all.subarray(-checksumBytes))) return undefined
    lastTemplate = { template, content }
    return content
  } catch {
    return undefined
  }
}

/**
 * Creates a template next to its final name and moves it into place, so that several processes may do so at once.
 * `build` creates the database at a path and closes it.
 */
async function createTemplate(template: string, build: (file: string) => Promise<void>): Promise<Buffer> {
  makeFolder(dirname(template))
  const draft = mkdtempSync(`${template}.`)
  try {
    const file = join(draft, 'schema.db')
    await build(file)
    const content = readFileSync(file)
    writeFileSync(file, Buffer.concat([content, checksumOf(content)]))
    renameFile(file, template)
    return content
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/**
 * Creates a database file as a copy of an empty database with the current schema, which is faster than creating the
 * tables. `template` is the path of that database; a missing or damaged one is built again. Returns false, without an error, if
 * the template can be neither read nor built. An existing file is not changed.
 */
export async function createFromTemplate(
  file: string,
  {
    template,
    build,
    durable,
  }: {
    readonly template: string
    readonly build: (file: string) => Promise<void>
    /** Whether the file must survive a power failure. */
    readonly durable: boolean
  },
): Promise<boolean> {
  let content: Buffer
  try {
    content = readTemplate(template) ?? (await createTemplate(template, build))
  } catch {
    return false
  }
  const draft = `${file}.${Math.random().toString(36).slice(2)}.draft`
  let descriptor: number
  try {
    descriptor = openSync(draft, 'wx', 0o600)
  } catch {
    return false
  }
  try {
    try {
      writeSync(descriptor, content)
      if (durable) fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // Another process may create the file at the same time. The first one wins.
    return linkFile(draft, file)
  } catch {
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}
