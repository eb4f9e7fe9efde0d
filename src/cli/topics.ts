import { exits } from '../contract/exits.ts'
import { environment } from './environment.ts'
import { globalFlags } from './globals.ts'
import { rows } from './text.ts'

/** Help topics, each made from the table it is about. */
export const topics: Readonly<Record<string, (width: number) => string>> = {
  'exit-codes': (width) =>
    `Exit codes\n\n${rows(
      Object.values(exits).map(({ code, meaning }) => [String(code), meaning]),
      width,
    )}\n`,
  flags: (width) =>
    `Flags of every command\n\n${rows(
      globalFlags.map(({ flags, describe, choices, env }) => [
        flags,
        `${describe}${choices ? ` (one of: ${choices.join(', ')})` : ''}${env ? ` [${env}]` : ''}`,
      ]),
      width,
    )}\n`,
  environment: (width) => `Environment\n\n${rows(Object.entries(environment), width)}\n`,
}
