import { parse } from 'yaml'
import { read } from './sources.ts'

/** Instruction of a Dockerfile. */
export interface Instruction {
  readonly stage: number
  readonly name: string
  readonly words: string
}

/** Returns the instructions of a Dockerfile, with continued lines joined and comments left out. */
export function dockerfileInstructions(path = 'Dockerfile'): Instruction[] {
  const lines = read(path)
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  let stage = -1
  return lines.map((line) => {
    const [, name = '', words = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stage++
    return { stage, name, words }
  })
}

/** Returns the value of an instruction in the form of a list: `CMD ["server", "start"]`. */
export const listOf = (instruction: Instruction | undefined): string[] =>
  JSON.parse(/\[.*\]/.exec(instruction?.words ?? '')?.[0] ?? '[]') as string[]

/** Returns the variables that the Dockerfile sets in its last stage. */
export function imageVariables(): Record<string, string> {
  const set = dockerfileInstructions().filter((it) => it.name === 'ENV')
  return Object.fromEntries(
    set.flatMap((it) => [...it.words.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value])),
  )
}

export interface ComposeService {
  readonly image?: string
  readonly build?: string
  readonly pull_policy?: string
  readonly hostname?: string
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
  readonly stop_grace_period?: string
  readonly restart?: string
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
}

/** Returns the content of compose.yaml, with anchors resolved. */
export const composeFile = (): { readonly services: Record<string, ComposeService> } =>
  parse(read('compose.yaml'), { merge: true })

export const composeServices = (): Record<string, ComposeService> => composeFile().services
