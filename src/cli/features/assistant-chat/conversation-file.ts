import { readFileSync, statSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { ConversationRecord } from '../../../contract/control/sample-data-records.ts'
import { validate } from '../../../contract/endpoint/validation.ts'
import * as z from '../../../contract/schema/schema.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { describeFileError, describeWriteError } from '../../../node/file-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { ProcessOwner } from '../../../node/process-identity.ts'
import { replaceFile } from '../../../node/replace-file.ts'
import { lockWork } from '../../program/errors/lock-work.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { MocksFile } from '../scenario-tests/assistants/scenario-schema.ts'

/** Recognizes the files of this program. It never changes. */
const format = 'parley-conversation'
/** Version of the format. A later one is refused, because a field that is not known would be lost. */
const version = 1

/** A chat in the format of sample data, which names its assistant. */
export const ChatRecord = ConversationRecord.extend({ assistant_id: z.string().min(1) })

/** The file of `--conversation`. Later versions read it: fields are added and never renamed. */
const ConversationFile = z.object({
  format: z.literal(format),
  version: z.literal(version),
  /** Name of the assistant that the conversation was started with. */
  assistant: z.string().min(1),
  /** Its file, from the folder of this one, by which it is recognized after it got another name. */
  file: z.string().min(1).optional(),
  /** The conversation, in the format of sample data. */
  conversation: ChatRecord,
  mocks: MocksFile.shape.mocks,
  /** How many responses without `when` were used, by tool. */
  used_mocks: z.record(z.string(), z.int().min(0)).default({}),
})

/** A conversation between two commands. `file` is an absolute path. */
export type SavedConversation = Omit<z.output<typeof ConversationFile>, 'format' | 'version'>

/** A conversation file that this process holds. */
export interface HeldConversation {
  /** Path as it was given. */
  readonly shown: string
  /** What an earlier command has saved; undefined for a new file. */
  readonly saved: SavedConversation | undefined
  /** Replaces the file. @throws ClientFailure `conflict` if another process has taken it over, `usage` if it cannot be written */
  save(conversation: SavedConversation): void
  release(): void
}

const hint = 'Pass the path of a new file, or of one that "parley assistants chat" wrote.'

/** Reads a conversation file; undefined for one that is missing or empty. @throws ClientFailure `usage` if it is not one */
function readConversation(path: string, shown: string): SavedConversation | undefined {
  let text = ''
  try {
    text = decodeText(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw usageError(`Could not read --conversation ${shown}: ${describeFileError(error)}.`)
  }
  if (text.trim() === '') return undefined
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    value = undefined
  }
  if (!isObject(value) || value.format !== format)
    throw usageError(`${shown} is not a conversation file. It was not changed.`, hint)
  if (value.version !== version)
    throw usageError(
      `${shown} has the format version ${stringifyJson(value.version)}, and this Parley reads version ${version}. It was not changed.`,
      'Update Parley, or start a new conversation with another file.',
    )
  const checked = validate(ConversationFile, value) as ReturnType<typeof validate<typeof ConversationFile>>
  if (!checked.ok)
    throw usageError(
      Object.entries(checked.errors)
        .flatMap(([at, messages]) => messages.map((it) => `${shown}: ${at}: ${it}`))
        .join('\n'),
      'Correct the file, or start a new conversation with another one.',
    )
  const { format: _, version: __, ...saved } = checked.value
  return { ...saved, ...(saved.file !== undefined && { file: resolve(dirname(path), saved.file) }) }
}

/**
 * Reads a conversation file and holds it, so that no other command answers in the same conversation. @throws
 * ClientFailure `conflict` while another command holds it, `usage` for a file that is not a conversation, or in no folder
 */
export function holdConversation(path: string, shown: string, owner: ProcessOwner): HeldConversation {
  const folder = dirname(path)
  try {
    statSync(folder)
  } catch (error) {
    throw usageError(`Could not write --conversation ${shown}: ${describeWriteError(error)}.`)
  }
  const lock = lockWork(`${path}.lock`, owner, (it) => `${it} is chatting in ${shown}. Nothing was sent.`)
  try {
    return {
      shown,
      saved: readConversation(path, shown),
      save(conversation) {
        if (!lock.isHeld())
          throw new ClientFailure({
            exit: 'conflict',
            code: 'lock_lost',
            message: `This process was suspended, and another one uses ${shown} now. The reply was not saved.`,
            hint: 'Send the message again.',
          })
        const file = conversation.file && relative(folder, conversation.file).replaceAll(sep, '/')
        try {
          replaceFile(path, `${stringifyJson({ format, version, ...conversation, file }, null, 2)}\n`)
        } catch (error) {
          throw usageError(`Could not write --conversation ${shown}: ${describeWriteError(error)}.`)
        }
      },
      release: lock.release,
    }
  } catch (error) {
    lock.release()
    throw error
  }
}
