// Commands of `knowledge documents`: tree.ts loads each by its export, where `remove` is the verb `delete`. Scripts have
// verbs and flags: they are added, not renamed.

import { type KnowledgeDocument, knowledge } from '../../../../contract/resources/knowledge.ts'
import { type CommandFlag, type CommandInput, command, type Invocation } from '../../../program/commandline/command.ts'
import { previewRequest, sendRequest } from '../../../program/connection/send-request.ts'
import { confirmDeletion, displayName, printMessage } from '../../../program/consent/delete-resource.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { requestById, withListHint } from '../../../program/input/request-by-id.ts'
import { resolveId, resolveItem } from '../../../program/input/resolve-target.ts'
import type { View } from '../../../program/output/format.ts'
import { printList } from '../../../program/output/print-list.ts'
import { printWriteResult } from '../../../program/output/print-result.ts'
import { itemShape } from '../../../program/output/tables/item-shape.ts'
import { recordFlag } from '../../../program/prompts/equivalent-command.ts'
import { fieldValidator, promptMissingFields } from '../../../program/prompts/prompt-fields.ts'
import type { Target } from '../../../program/resources/resource.ts'
import { previousInList, resolveForUpdate } from '../../../program/updates/previous-record.ts'
import { promptChanges, requireChanges } from '../../../program/updates/prompt-changes.ts'
import { applyUpdate } from '../../../program/updates/send-update.ts'
import { argument as knowledgeArgument, target as knowledgeTarget, target } from '../view.ts'
import { documentWait } from '../wait.ts'
import { readUpload } from './read-upload.ts'

/** How documents are shown to people: titles and columns may change. Programs get the fields of the contract. */
const view: View<KnowledgeDocument> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'type', title: 'Type', priority: 3 },
    { key: 'status', title: 'Status', priority: 2, kind: 'status' },
    { key: 'description', title: 'Description', priority: 5, flexible: true },
    { key: 'updated_at', title: 'Updated', priority: 4, kind: 'time' },
    { key: 'error', title: 'Error', priority: 3, flexible: true },
  ],
  empty: 'No documents. Add one: parley knowledge documents create <id> --name <name> --url <address>.',
}

const argument = { name: 'id', describe: 'Id or name of the document' } as const

/** Flag for the knowledge base. The id of a document is unique only within it, so both are required. */
const knowledgeFlag: CommandFlag = {
  flags: '--knowledge <id>',
  describe: 'Id or name of the knowledge base',
  field: 'id',
}

/** The knowledge base of `--knowledge`, and how its documents are found. @throws ClientFailure `usage` when it is missing without a terminal */
async function documentTarget(
  context: Context,
  { flags: { knowledge: named } }: Pick<Invocation, 'flags'>,
): Promise<{ readonly ids: { readonly id: number }; readonly target: Target }> {
  if (named === undefined && !context.interactive)
    throw usageError(
      'Missing --knowledge. Pass the id or name of the knowledge base.',
      'List knowledge bases: parley knowledge list.',
    )
  const id = await resolveId(context, named as string | undefined, knowledgeTarget, '--knowledge')
  return {
    ids: { id },
    target: {
      singular: 'document',
      list: knowledge.listDocuments,
      within: { id },
      listCommand: `knowledge documents list ${id}`,
      by: ['name'],
      label: (it) => `${it.name} (${it.id})`,
    },
  }
}

export const create = command({
  endpoint: knowledge.createDocument,
  summary: 'Add a website or file to a knowledge base',
  argument: knowledgeArgument,
  filledFields: ['type', 'file'],
  flags: [{ flags: '--upload <path>', describe: 'File to upload: pdf, txt or docx, at most 20 MB' }],
  examples: [
    '1 --name Treatments --url https://northwind.example/treatments --relative-links-limit 5',
    '"Practice handbook" --name Prices --links \'[{"link":"https://northwind.example/prices"}]\'',
    '1 --upload prices.pdf --wait',
    '1 --upload hours.txt --name "Opening hours"',
  ],
  notes:
    'Pass the URL of a website, single pages with --links, or a file with --upload, whose name is the default of --name. The document is processed in the background, and --wait waits for that.',
  view,
  waits: documentWait,
  async run(context, { argument: given, input, flags }) {
    const wanted: CommandInput =
      flags.upload === undefined
        ? { type: 'website', ...input }
        : { ...readUpload(context, String(flags.upload)), ...input }
    const isMissing = wanted.type === 'website' && input.url === undefined && input.links === undefined
    if (isMissing && !context.interactive)
      throw usageError(
        'Missing --url. Pass the URL of the website, pages with --links, or a file with --upload.',
        `See: parley ${context.commandName} --help.`,
      )
    const id = await resolveId(context, given, target)
    if (isMissing) {
      const prompts = await context.prompts()
      wanted.url = await prompts.input('URL of the website:', {
        validate: fieldValidator('url', knowledge.createDocument.body.shape.url),
      })
      recordFlag(context, '--url', wanted.url)
    }
    const fields = await promptMissingFields(context, knowledge.createDocument, wanted)
    const answer = await withListHint(target, () => sendRequest(context, knowledge.createDocument, { ...fields, id }))
    if (!answer) return
    context.nameStarted({ id, docId: answer.data.id }, documentWait)
    await printWriteResult(
      context,
      answer.message,
      answer.data,
      `parley knowledge documents get ${answer.data.id} --knowledge ${id}`,
    )
  },
})

export const remove = command({
  endpoint: knowledge.deleteDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', 'Insurers --knowledge 1 --yes'],
  async run(context, invocation) {
    const { ids: within, target } = await documentTarget(context, invocation)
    const readAt = context.pauses()
    const listed = await resolveItem(context, invocation.argument, target)
    const ids = { ...within, docId: listed.id as number }
    if (await previewRequest(context, knowledge.deleteDocument, ids)) return
    const { item } = await confirmDeletion(context, {
      item: listed,
      readAt,
      target,
      endpoint: knowledge.deleteDocument,
      ids,
      confirmed: undefined,
      buildQuestion: (document) => ({
        question: `Delete document ${displayName(document, target)}? Assistants lose access to it.`,
        refusalMessage: `Deleting document ${displayName(document, target)} cannot be undone and requires confirmation.`,
      }),
    })
    const { message } = await withListHint(target, () =>
      context.call(knowledge.deleteDocument, ids, { history: { previous: previousInList(item, target) } }),
    )
    await printMessage(context, message, ids.docId)
  },
})

export const get = command({
  endpoint: knowledge.getDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1', '"Opening hours" --knowledge "Practice handbook" --json', '2 --knowledge 1 --wait'],
  view,
  waits: documentWait,
  async run(context, invocation) {
    const { ids, target } = await documentTarget(context, invocation)
    const answer = await requestById(context, invocation.argument, target, (docId) =>
      sendRequest(context, knowledge.getDocument, { ...ids, docId }),
    )
    if (!answer) return
    context.nameStarted({ ...ids, docId: answer.data.id }, documentWait)
    await context.out.record(answer.data, itemShape(get))
  },
})

export const list = command({
  endpoint: knowledge.listDocuments,
  argument: knowledgeArgument,
  isList: true,
  examples: ['1', '"Practice handbook" --fields name,status'],
  view,
  run: async (context, { argument: given }) =>
    requestById(context, given, target, (id) => printList(context, knowledge.listDocuments, { id })),
})

export const update = command({
  endpoint: knowledge.updateDocument,
  argument,
  flags: [knowledgeFlag],
  examples: ['2 --knowledge 1 --name Hours', '2 --knowledge 1 --description null'],
  view,
  async run(context, invocation) {
    requireChanges(context, invocation.input, 'Pass --name or --description.')
    const { ids, target } = await documentTarget(context, invocation)
    const { id: docId, previous } = await resolveForUpdate(context, invocation.argument, target, {
      read: async ({ call }, docId) => (await call(knowledge.getDocument, { ...ids, docId })).data,
    })
    const next = `parley knowledge documents get ${docId} --knowledge ${ids.id}`
    await applyUpdate(context, {
      endpoint: knowledge.updateDocument,
      ids: { ...ids, docId },
      change: await promptChanges(context, invocation.input),
      previous,
      next,
    })
  },
})
