import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { releaseSettings } from '../../scripts/release/settings.ts'
import { read, root } from '../support/sources.ts'

/**
 * Commands that download a package or image of this name from a registry: with npx, dlx and similar, with an installation
 * by name, and the program and arguments in a configuration file. The name may belong to others there, and their code would
 * run. `npx --no parley` runs only what is installed.
 */
const downloads = [
  /\b(?:npx|bunx|dlx|npm exec|npm x|yarn create)\b(?!.*\s--no(?:-install)?\b)[^`]*[^\w/.-]parley(?:-cli)?(?![\w/-]|\.\w)/,
  /\b(?:npm|pnpm|yarn|bun|deno)\b[^`\n]*?\b(?:install|i|add|update|upgrade)\b(?:\s+-{1,2}[\w=-]+)*\s+(?:npm:)?parley(?:-cli)?(?:@[\w.^~-]+)?(?=$|[\s`'"])/m,
  /\b(?:brew|apt|apt-get|dnf|apk|pip|pipx)\s+(?:install|add)\b(?:\s+-{1,2}[\w=-]+)*\s+parley(?:-cli)?(?=$|[\s`'"])/m,
  /\b(?:docker|podman)\s+(?:run|pull|create)\b[^`\n]*\sparley(?=$|[\s:`'"])/m,
]
const configuration = /"(?:npx|bunx|pnpm|yarn)",?\s*"args"\s*:\s*\[(?:\s*"[^"]*",)*?\s*"parley(?:-cli)?(?:@[^"]*)?"/g

/** Every text of the repository that a person, a shell or a CI job may run commands from. This file has examples. */
const texts = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter(
    (path) => path !== '' && path !== 'test/project/registry-names.test.ts' && !/\.(?:png|gz|br|sqlite|db)$/.test(path),
  )
  .filter((path) => !path.startsWith('test/fixtures/') && existsSync(join(root, path)))

const findDownloads = (text: string): string[] => [
  ...text.split('\n').filter((line) => downloads.some((pattern) => pattern.test(line))),
  ...(text.match(configuration) ?? []),
]

test.skipIf(releaseSettings.package.owned)(
  'no text makes a person or a job download a package by the name of this program',
  () => {
    expect(texts.flatMap((path) => findDownloads(read(path)).map((line) => `${path}: ${line.trim()}`))).toEqual([])
  },
)

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
  'brew install parley',
  'sudo apt-get install --yes parley',
  'docker run --rm -p 4010:4010 parley:latest',
])('the search finds %s', (line) => {
  expect(findDownloads(line)).toEqual([line])
})

test('the search finds the program and arguments of a configuration file', () => {
  const server = { command: 'npx', args: ['--yes', 'parley-cli', 'mcp'] }
  expect(findDownloads(JSON.stringify({ mcpServers: { parley: server } }, null, 2))).toHaveLength(1)
  expect(findDownloads(JSON.stringify({ mcpServers: { parley: { command: 'parley', args: ['mcp'] } } }))).toEqual([])
})

test.each([
  'apt install ./parley-cli_0.2.0_amd64.deb',
  'docker build --tag parley .',
  'npx --no parley keys list',
  'node_modules/.bin/parley keys list',
  'npm install --save-dev ../parley-cli-0.1.0.tgz',
  'npm install --global ./parley-cli-0.1.0.tgz',
  'RUN npm install --global --ignore-scripts --omit=optional /tmp/parley-cli-*.tgz',
  'npx vitest run test/cli',
])('the search passes %s', (line) => {
  expect(findDownloads(line)).toEqual([])
})
