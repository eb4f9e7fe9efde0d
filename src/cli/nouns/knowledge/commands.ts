// Commands of `knowledge`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have verbs and
// flags: they are added, not renamed.

import { quoteForShell } from '../../../client/requests/shell-quote.ts'
import { type KnowledgePassage, knowledge } from '../../../contract/resources/knowledge.ts'
import { command } from '../../program/commandline/command.ts'
import { createCommand } from '../../program/commandline/create-command.ts'
import { deleteCommand } from '../../program/commandline/delete-command.ts'
import { getCommand } from '../../program/commandline/get-command.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import { updateCommand } from '../../program/commandline/update-command.ts'
import { inUseNote } from '../../program/consent/delete-resource.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import type { View } from '../../program/output/format.ts'
import { printList } from '../../program/output/print-list.ts'
import { argument, target, view } from './view.ts'
import { knowledgeWait } from './wait.ts'

export const create = createCommand({
  endpoint: knowledge.create,
  examples: ['--name "Price list"', '--name Insurers --description "Plans the practice accepts" -o id'],
  view,
  next: (id) => `parley knowledge documents create ${id}`,
})

export const remove = deleteCommand({
  endpoint: knowledge.delete,
  argument,
  examples: ['1', '"Practice handbook" --confirm "Practice handbook"'],
  notes: inUseNote,
  target,
  dependencyKind: 'knowledge',
  buildQuestion: (called) => `Delete knowledge base ${called} with all its documents? Assistants lose access to it.`,
})

export const get = getCommand({
  endpoint: knowledge.get,
  argument,
  examples: ['1', '"Practice handbook" -o yaml', '1 --wait --wait-timeout 30m'],
  view,
  target,
  waits: knowledgeWait,
})

export const list = listCommand({
  endpoint: knowledge.list,
  examples: ['', '--fields id,name,status'],
  view,
})

const searchView: View<KnowledgePassage> = {
  id: (it) => it.document_id,
  columns: [
    { key: 'score', title: 'Score', priority: 1, kind: 'number' },
    { key: 'document', title: 'Document', priority: 1 },
    { key: 'text', title: 'Passage', priority: 1, flexible: true },
    { key: 'url', title: 'URL', priority: 3 },
  ],
  empty: 'No passage matches. Only documents with the status "active" are searched: parley knowledge documents list.',
}

export const search = command({
  endpoint: knowledge.search,
  argument: {
    name: 'question',
    describe: 'Id or name of the knowledge base, then the question or words to search for',
    isVariadic: true,
  },
  filledFields: ['query'],
  isList: true,
  elsewhere: 'Ask an assistant that uses the knowledge base: parley conversations chat --assistant <id>.',
  examples: ['1 "When do you open?"', '"Practice handbook" parking --limit 3', '1 opening hours --json'],
  notes:
    'Prints the passages that best match, the best first, at most 20. During a conversation an assistant receives the first 5 for its query. Scores are comparable only within one search.',
  view: searchView,
  async run(context, { words: [base, ...rest] }) {
    const question = rest.join(' ').trim()
    if (!context.interactive && base !== undefined && question === '') throw missingQuestion(base)
    await requestById(context, base, target, async (id) => {
      const query = question === '' ? await promptQuestion(context) : question
      await printList(context, knowledge.search, { id, query })
    })
  },
})

const missingQuestion = (base: string): Error =>
  usageError(
    'Missing question.',
    `Pass it after the knowledge base: parley knowledge search ${/^[\w-]+$/.test(base) ? base : quoteForShell(base)} "When do you open?".`,
  )

async function promptQuestion(context: Context): Promise<string> {
  const question = await (await context.prompts()).input('What do you want to find?', {
    validate: (text) => text.trim() !== '' || 'Enter a question.',
  })
  // It follows the knowledge base, which may have been passed.
  context.promptAnswers.push({ flag: quoteForShell(question) })
  return question
}

export const update = updateCommand({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  target,
  read: async ({ call }, id) => (await call(knowledge.get, { id })).data,
  changesHint: 'Pass --name or --description.',
  next: (id) => `parley knowledge get ${id}`,
})
