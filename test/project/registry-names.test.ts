import { expect, test } from 'vitest'
import { filesIn, read } from '../support/sources.ts'

/**
 * Commands that download a package of this name from a registry: with npx, dlx and similar, and with an installation by
 * name. The name may belong to others there, and their code would run. `npx --no parley` runs only what is installed.
 */
const downloads = [
  /\b(?:npx|bunx|dlx|npm exec|npm x|yarn create)\b(?!.*\s--no(?:-install)?\b)[^`]*[^\w/.-]parley(?:-cli)?(?![\w/-]|\.\w)/,
  /\b(?:npm|pnpm|yarn|bun|deno)\b[^`\n]*?\b(?:install|i|add|update|upgrade)\b(?:\s+-{1,2}[\w=-]+)*\s+(?:npm:)?parley(?:-cli)?(?:@[\w.^~-]+)?(?=$|[\s`'"])/m,
]

/** Text that a person, a shell or a CI job runs commands from. */
const texts = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'action.yml',
  'compose.yaml',
  'Dockerfile',
  'package.json',
  ...filesIn('docs', 'man', 'completions', 'deploy', 'src', 'scripts', 'bin', 'test/runners').filter(
    (it) => !it.endsWith('.png'),
  ),
]

const findDownloads = (text: string): string[] =>
  text.split('\n').filter((line) => downloads.some((pattern) => pattern.test(line)))

test('no text makes a person or a job download a package by the name of this program', () => {
  expect(texts.flatMap((path) => findDownloads(read(path)).map((line) => `${path}: ${line.trim()}`))).toEqual([])
})

test.each([
  'npx parley keys list',
  'npx --yes "parley-cli@latest" server start',
  'subprocess.run(["npx", "parley", *words])',
  'exec.Command("npx", append([]string{"parley"}, words...)...)',
  'pnpm dlx parley-cli server start',
  'npm install -g parley-cli',
  'npm i --save-dev parley-cli@1.2.3',
  'bunx parley',
  'npm exec parley',
  'yarn add parley-cli',
])('the search finds %s', (line) => {
  expect(findDownloads(line)).toEqual([line])
})

test.each([
  'npx --no parley keys list',
  'node_modules/.bin/parley keys list',
  'npm install --save-dev ../parley-cli-0.1.0.tgz',
  'npm install --global ./parley-cli-0.1.0.tgz',
  'RUN npm install --global --ignore-scripts --omit=optional /tmp/parley-cli-*.tgz',
  'npx vitest run test/cli',
])('the search passes %s', (line) => {
  expect(findDownloads(line)).toEqual([])
})
