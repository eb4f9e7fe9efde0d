import { Failure, failures } from '../../contract/errors/failures.ts'

/**
 * Maximum number of steps of a definition. With a lower limit here or below, a definition that is live could not be
 * published again.
 */
export const maxSteps = 500
/** Maximum nesting of branches and loops. */
export const maxNesting = 30
/** Maximum depth of the settings of a step. */
export const maxValueDepth = 64
/** Maximum length of a name or display name in characters. */
export const maxName = 255
/** Maximum size of a definition in bytes. */
export const maxBytes = 1024 * 1024
/** Maximum number of problems that are reported at once. */
const maxProblems = 100

/** Problem of a definition. A refusal has it in `problems`, which clients read: fields are added, not renamed. */
export interface Problem {
  /** Name of the step, `trigger` for the trigger, null for the definition as a whole. */
  readonly step: string | null
  /** Path inside the step, such as `settings.input.url`; empty for the step as a whole. */
  readonly path: string
  /** Message as a sentence. */
  readonly message: string
  /** Piece and action or trigger of the step, for messages: `piece-store get`. */
  readonly title?: string
}

/** Step or trigger whose piece or action is not available on this platform. */
export interface UnknownPiece extends Problem {
  readonly step: string
  /** Name of the piece, such as `@engine/piece-slack`. */
  readonly piece: string
  /** Whether the platform has the piece, but not its action or trigger. */
  readonly isPieceKnown: boolean
  /** Name of its action or trigger. */
  readonly name: string | null
  readonly title: string
}

/** Names what a definition uses and the platform does not have, in sentences. */
export function describeUnknownPieces(unknown: readonly UnknownPiece[]): string {
  const listed = (all: readonly string[]): string => [...new Set(all)].join(', ')
  const members = unknown.filter((it) => it.isPieceKnown).map(({ piece, name }) => `${piece} ${name}`)
  const pieces = unknown.filter((it) => !it.isPieceKnown).map((it) => it.piece)
  return [
    ...(members.length > 0 ? [`It uses actions or triggers that Parley does not have: ${listed(members)}.`] : []),
    ...(pieces.length > 0 ? [`It uses pieces that Parley does not have: ${listed(pieces)}.`] : []),
  ].join(' ')
}

export type DefinitionFailureName = 'automate.invalid_definition' | 'automate.unsupported_trigger' | 'automate.no_steps'

const formatProblem = ({ step, path, message }: Problem): string =>
  `${[step, path].filter(Boolean).join(': ')}${step || path ? ': ' : ''}${message}`

/**
 * Returns the failure for a rejected definition: the first problems as text, and all of them in the detail `problems`.
 */
export function toFailure(name: DefinitionFailureName, problems: readonly Problem[]): Failure {
  const [first, ...more] = problems
  const rest = more.length > 0 ? ` (and ${more.length} more)` : ''
  const text =
    first === undefined || name === 'automate.no_steps'
      ? failures[name].text
      : `${failures[name].text} ${formatProblem(first)}${rest}`
  return new Failure(name, {
    text,
    details: { problems: problems.slice(0, maxProblems).map(({ step, path, message }) => ({ step, path, message })) },
  })
}

/** Collects the first hundred problems, and unknown pieces: a definition with those can be read but not run. */
export class Problems {
  readonly all: Problem[] = []
  readonly unknown: UnknownPiece[] = []

  add(step: string | null, path: string, message: string, title?: string): void {
    if (this.all.length < maxProblems) this.all.push({ step, path, message, ...(title !== undefined && { title }) })
  }

  /** Removes the problems that match a predicate, and returns them. */
  removeWhere(predicate: (problem: Problem) => boolean): readonly Problem[] {
    const removed = this.all.filter(predicate)
    this.all.splice(0, this.all.length, ...this.all.filter((it) => !predicate(it)))
    return removed
  }

  addUnknown(piece: UnknownPiece): void {
    if (this.unknown.length < maxProblems) this.unknown.push(piece)
  }
}
