/** A program that asks the question that its argument names, and prints the answer. */
export const promptScenarios = `
import { existsSync } from 'node:fs'
import { createPrompts } from '#src/cli/program/prompts/create-prompts.ts'
import { sinkFromNode, sourceFromNode } from '#src/cli/program/terminal/streams.ts'

const streams = { stdin: sourceFromNode(process.stdin), stdout: sinkFromNode(process.stdout), stderr: sinkFromNode(process.stderr) }
const interrupt = new AbortController()
process.on('SIGINT', () => interrupt.abort())
const prompts = createPrompts({ streams, input: process.stdin, output: process.stderr, env: process.env, interactive: true, color: false, signal: interrupt.signal })
const cities = [{ name: 'Warsaw', value: 1, description: 'in Poland' }, { name: 'Vienna', value: 2 }, { name: 'Vilnius', value: 3 }, { name: 'Vigo\\u001b[2J', value: 4, disabled: 'closed' }]
const whenDrawn = (text, then) => {
  const { write } = process.stderr
  process.stderr.write = (chunk, ...rest) => {
    if (String(chunk).includes(text)) setImmediate(then)
    return write.call(process.stderr, chunk, ...rest)
  }
}
const typedAhead = async () => {
  await streams.stderr.write('Looking...')
  while (!existsSync(process.env.TYPED)) await new Promise((done) => setTimeout(done, 2))
}
const scenarios = {
  confirm: () => prompts.confirm('Delete it?'),
  select: () => prompts.select('City?', cities),
  search: () => prompts.select('City?', cities, { searchable: true }),
  input: () => prompts.input('Name?', { validate: (it) => it.length > 2 || 'Too short.' }),
  preset: () => prompts.input('Name?', { default: 'desk' }),
  masked: () => prompts.input('PIN?', { mask: true }),
  password: () => prompts.password('Key?'),
  typeName: () => prompts.confirmName('This cannot be undone.', 'Front desk'),
  nameless: () => prompts.confirmName('This cannot be undone.', ''),
  abort: () => { whenDrawn('Delete it?', () => interrupt.abort()); return prompts.confirm('Delete it?') },
  twice: async () => [await prompts.confirm('First?'), await prompts.input('Second?')],
  // This is drawn before any question, so what is typed now cannot be an answer.
  late: async () => { await typedAhead(); return prompts.confirm('Delete it?') },
  lateName: async () => { await typedAhead(); return prompts.confirmName('This cannot be undone.', 'desk') },
  lateSearch: async () => { await typedAhead(); return prompts.select('City?', cities, { searchable: true }) },
  secrets: async () => [await prompts.password('First?'), await prompts.password('Second?')],
  long: () => prompts.select('Which?', Array.from({ length: 50 }, (_, i) => ({ name: 'item-' + (i + 1), value: i + 1 })), { searchable: true }),
}
// As an open connection would: a question that never settles is a run that never ends.
const busy = setInterval(() => {}, 1000)
scenarios[process.argv[2]]().finally(() => clearInterval(busy)).then((answer) => streams.stdout.write(JSON.stringify(answer)), (error) => { process.exitCode = error.exit === 'interrupted' ? 130 : 1; return streams.stdout.write(error.name) })
`
