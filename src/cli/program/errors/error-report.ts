import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import type { ErrorReport } from '../output/notes.ts'

/** A field of the endpoint and the flag that sets it. */
export interface FlagField {
  readonly field: string
  readonly long: string
  /** Name of its value among the parsed flags. */
  readonly key: string
  /** Allowed values of an enum. */
  readonly choices?: readonly string[]
}

/** A printed error with its exit code. Without `report`, nothing is printed. */
export interface ReportedError {
  readonly exit: ExitName
  readonly report?: ErrorReport
}

/** Returns the location of a field that no flag set: `assistant.yaml:7`. */
export type FieldLocator = (path: string) => string | undefined

/**
 * Converts any thrown value to a report and an exit code. A refused word of an enum is recognized by the text of platforms, that of
 * `selectionText` (failures.ts); errors of streams and of the store by their names, so that this file does not load them.
 */
export function toErrorReport(
  error: unknown,
  fields: readonly FlagField[] = [],
  locateField: FieldLocator = () => undefined,
): ReportedError {
  if (error instanceof ClientFailure) {
    const fieldOf = (path: string) => fields.find((it) => it.field === path.split('.', 1)[0])
    return {
      exit: error.exit,
      report: {
        code: error.code,
        message: error.message,
        ...(error.hint !== undefined && { hint: error.hint }),
        ...(error.status !== undefined && { status: error.status }),
        details: error.details.map((detail) => {
          const location = locateField(detail.path)
          const field = fieldOf(detail.path)
          const flag = location ?? field?.long
          const isUnknownWord = field?.choices !== undefined && /^The selected .* is invalid\.$/.test(detail.message)
          return {
            ...detail,
            ...(isUnknownWord && { choices: field.choices }),
            ...(flag && { flag: location || detail.path.includes('.') ? `${flag} (${detail.path})` : flag }),
          }
        }),
        ...(error.requestId !== undefined && { request_id: error.requestId }),
        ...(error.retryAfter !== undefined && { retry_after: error.retryAfter }),
        ...(error.next && { next: error.next }),
        ...(error.operation !== undefined && { operation: error.operation }),
      },
    }
  }
  const { name, message, exit, hint } = error as Error & { exit?: ExitName; hint?: string }
  if (name === 'ClosedPipe') return { exit: 'done' }
  if (name === 'StoreError')
    return {
      exit: 'internal',
      report: {
        code: 'store',
        message,
        ...(message.includes('data folder') && { hint: 'Set PARLEY_DATA_DIR to use another data folder.' }),
      },
    }
  if (exit)
    return {
      exit,
      report: { code: name === 'OutputFailed' ? 'output_failed' : exit, message, ...(hint !== undefined && { hint }) },
    }
  return {
    exit: 'internal',
    report: {
      code: 'internal',
      message: `Internal error: ${message}`,
      hint: 'Run the command again with --debug to see the stack trace.',
    },
  }
}
