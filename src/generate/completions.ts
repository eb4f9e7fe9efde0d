import type { Command } from '../cli/command.ts'
import type { CompletionFlag, CompletionNode, CompletionTable, CompletionWord } from '../cli/complete.ts'
import { globalFlags } from '../cli/globals.ts'
import { summaryOf } from '../cli/guide.ts'
import { fieldFlags } from '../cli/options.ts'
import { createParser } from '../cli/program.ts'
import { type Node, tree } from '../cli/tree.ts'

const toFlag = (flags: string, text: string, choices: readonly string[] | undefined): CompletionFlag => {
  const names = flags.replace(/[ =][<[].*$/, '').split(/, */)
  return /[<[]/.test(flags) ? [names, text, choices ?? []] : [names, text]
}

function flagsOf(words: string, it: Command): CompletionFlag[] {
  const fields = fieldFlags(it)
  return createParser(words, it)
    .options.filter((option) => !option.hidden)
    .map((option) => toFlag(option.flags, option.description, fields.find((field) => field.flags === option.flags)?.choices ?? option.argChoices))
}

/** The table the completion answers from. */
export async function completionTable(): Promise<CompletionTable> {
  const nodes: Record<string, CompletionNode> = {}
  async function visit(path: string, children: Readonly<Record<string, Node>>): Promise<void> {
    const words = await Promise.all(
      Object.entries(children).map(
        async ([name, it]): Promise<CompletionWord> => (it.aliases ? [name, await summaryOf(it), it.aliases] : [name, await summaryOf(it)]),
      ),
    )
    nodes[path] = { words }
    for (const [name, it] of Object.entries(children)) {
      const below = path === '' ? name : `${path} ${name}`
      if (it.load) nodes[below] = { flags: flagsOf(below, await it.load()) }
      else await visit(below, it.verbs)
    }
  }
  await visit('', tree)
  return { nodes, globals: globalFlags.map(({ flags, describe, choices }) => toFlag(flags, describe, choices)) }
}
