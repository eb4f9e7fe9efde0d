import { type LocalFile, localFiles } from '../configuration/local-files.ts'
import { alignedRows, wrap } from '../terminal/wrap-text.ts'

const folderTitles: Readonly<Record<LocalFile['folder'], string>> = {
  data: 'In the data folder (PARLEY_DATA_DIR)',
  configuration: 'In the configuration folder (PARLEY_CONFIG_DIR)',
  cache: 'In the cache folder (PARLEY_CACHE_DIR)',
}

const describeFile = ({ holds, until, personal }: LocalFile): string =>
  `${holds}${personal ? ' (personal data)' : ''}. Until: ${until}`

/** Renders the help topic about files on this machine and how long they are stored. */
export const privacyTopic = (width: number): string =>
  `${[
    'Privacy',
    wrap(
      'Parley sends no telemetry and does not check for updates. It connects only to the platform you configure and to addresses you specify.',
      width,
      '',
    ),
    ...(Object.keys(folderTitles) as LocalFile['folder'][]).map(
      (folder) =>
        `${folderTitles[folder]}\n\n${alignedRows(
          localFiles.filter((it) => it.folder === folder).map((it) => [it.name, describeFile(it)]),
          width,
        )}`,
    ),
    wrap(
      'Folders have mode 0700 and files 0600, so only you can read them. Keys are shown by their last four characters. Verbose and debug output hides secrets and shortens phone numbers. Data for a language model, a webhook or an automation leaves this machine and goes only to the addresses you configured.',
      width,
      '',
    ),
    'Delete data older than a week: parley server purge --older-than 7d --yes\nCheck file permissions: parley doctor',
  ].join('\n\n')}\n`
