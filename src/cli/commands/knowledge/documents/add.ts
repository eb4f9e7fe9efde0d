import { knowledge } from '../../../../contract/knowledge.ts'
import { gaveFlag } from '../../../answered.ts'
import { command, type Input } from '../../../command.ts'
import { askMissing, ruleOf } from '../../../missing.ts'
import { send } from '../../../requests.ts'
import { printMade } from '../../../result.ts'
import { resolveId } from '../../../target.ts'
import { usage } from '../../../usage.ts'
import { argument, target } from '../view.ts'
import { view } from './view.ts'

export const add = command({
  endpoint: knowledge.createDocument,
  summary: 'Add a website to a knowledge base; it is processed in the background',
  argument,
  fills: ['type', 'file'],
  examples: [
    '1 --name Treatments --url https://northwind.example/treatments --relative-links-limit 5',
    '"Practice handbook" --name Prices --links \'[{"link":"https://northwind.example/prices"}]\'',
  ],
  notes: 'A website is given by its address, or as single pages with --links. Files (pdf, txt, docx) cannot be sent from here.',
  view,
  async run(context, { argument: given, input }) {
    const wanted: Input = { type: 'website', ...input }
    const isMissing = wanted.type === 'website' && input.url === undefined && input.links === undefined
    if (isMissing && !context.interactive) throw usage('Which website? Give --url <address>, or --links.', `See: parley ${context.words} --help.`)
    const id = await resolveId(context, given, target)
    if (isMissing) {
      const prompts = await context.prompts()
      wanted.url = await prompts.input('Address of the website:', { validate: ruleOf('url', knowledge.createDocument.body.shape.url) })
      gaveFlag(context, '--url', wanted.url)
    }
    const answer = await send(context, knowledge.createDocument, { ...(await askMissing(context, knowledge.createDocument, wanted)), id })
    if (answer) await printMade(context, answer.message, answer.data, `parley knowledge documents get ${answer.data.id} --knowledge ${id}`)
  },
})
