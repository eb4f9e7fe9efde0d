import { knowledge } from '../../../../contract/resources/knowledge.ts'
import { type CommandInput, command } from '../../../commandline/command.ts'
import { sendRequest } from '../../../connection/send-request.ts'
import { usageError } from '../../../errors/usage-error.ts'
import { withListHint } from '../../../input/request-by-id.ts'
import { resolveId } from '../../../input/resolve-target.ts'
import { printWriteResult } from '../../../output/print-result.ts'
import { recordFlag } from '../../../prompts/equivalent-command.ts'
import { fieldValidator, promptMissingFields } from '../../../prompts/prompt-fields.ts'
import { argument, target } from '../view.ts'
import { view } from './view.ts'

export const add = command({
  endpoint: knowledge.createDocument,
  summary: 'Add a website or file to a knowledge base',
  argument,
  filledFields: ['type', 'file'],
  flags: [{ flags: '--upload <path>', describe: 'File to upload: pdf, txt or docx, at most 20 MB' }],
  examples: [
    '1 --name Treatments --url https://northwind.example/treatments --relative-links-limit 5',
    '"Practice handbook" --name Prices --links \'[{"link":"https://northwind.example/prices"}]\'',
    '1 --upload prices.pdf',
    '1 --upload hours.txt --name "Opening hours"',
  ],
  notes:
    'Pass the URL of a website, single pages with --links, or a file with --upload, whose name is the default of --name. The document is processed in the background.',
  view,
  async run(context, { argument: given, input, flags }) {
    const wanted: CommandInput =
      flags.upload === undefined
        ? { type: 'website', ...input }
        : { ...(await import('./read-upload.ts')).readUpload(context, String(flags.upload)), ...input }
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
    if (answer)
      await printWriteResult(
        context,
        answer.message,
        answer.data,
        `parley knowledge documents get ${answer.data.id} --knowledge ${id}`,
      )
  },
})
