import type { Site } from './site-pages.ts'

/** Returns llms.txt: what Parley is, and every page as Markdown with one line about it, for programs that read the site. */
export function llmsText({ pages, navigation, commands }: Site, base: string): string {
  const intro = (pages.get('index.md') as string).split('\n\n')[1] as string
  const line = (title: string, path: string, about: string): string => `- [${title}](${base}${path}): ${about}`
  const listed = new Set(navigation.flatMap(({ links }) => links.map(({ path }) => path)))
  const others = [...pages.keys()].filter(
    (path) => path !== 'index.md' && !listed.has(path) && !path.startsWith('commands/'),
  )
  const titleOf = (path: string): string => /^# (.+)$/m.exec(pages.get(path) ?? '')?.[1]?.replaceAll('`', '') ?? path
  return `# Parley

> ${intro.replaceAll('\n', ' ')}

Each page of the site is also there as Markdown: the same address with \`.md\` instead of \`.html\`.

${navigation
  .map(({ title, links }) => `## ${title}\n\n${links.map((it) => line(it.title, it.path, it.about)).join('\n')}`)
  .join('\n\n')}

## Commands

${commands.map(({ title, path, summary }) => line(title, path, summary)).join('\n')}

## Optional

${others.map((path) => `- [${titleOf(path)}](${base}${path})`).join('\n')}
`
}
