/**
 * Returns llms.txt of the repository from docs/README.md: what Parley is, and every page of the documentation with one line
 * about it. The first paragraph of that page and its second level of headings become the file. The site has another llms.txt
 * (llms-text.ts).
 */
export function llmsFile(readme: string): string {
  const intro = readme.split('\n\n')[1]?.replaceAll('\n', ' ') ?? ''
  const groups = readme.slice(readme.indexOf('\n## ') + 1)
  const links = groups.replaceAll(/\]\((?!https?:)([^)]+)\)/g, (_, target: string) =>
    target.startsWith('../') ? `](${target.slice('../'.length)})` : `](docs/${target})`,
  )
  return `# Parley

> ${intro}

Run \`parley commands\` for every command in one line. Coding agents: [skills/parley/SKILL.md](skills/parley/SKILL.md), which \`parley skill install\` adds to a project.

${links.trimEnd()}
`
}
