import { type KnowledgeDocument, knowledge } from '../../../../contract/resources/knowledge.ts'
import type { CommandFlag, Invocation } from '../../../commandline/command.ts'
import type { Context } from '../../../context.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { resolveId, type Target } from '../../../input/resolve-target.ts'
import type { View } from '../../../output/form.ts'
import { target as knowledgeTarget } from '../view.ts'

export const view: View<KnowledgeDocument> = {
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

export const argument = { name: 'id', describe: 'Id or name of the document' } as const

/** Flag for the knowledge base. The id of a document is unique only within it, so both are required. */
export const knowledgeFlag: CommandFlag = {
  flags: '--knowledge <id>',
  describe: 'Id or name of the knowledge base',
  field: 'id',
}

/** The knowledge base of `--knowledge`, and how its documents are found. @throws ClientFailure `usage` when it is missing without a terminal */
export async function documentTarget(
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
