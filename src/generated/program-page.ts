// Made of the commands by "npm run generate".
import type { HelpPage } from '../cli/help/render-page.ts'

export const programPage: HelpPage = [
  {
    "prose": "Administer a conversational assistant platform."
  },
  {
    "lines": "Usage: parley <noun> <verb> [id] [flags]"
  },
  {
    "title": "Get started:",
    "rows": [
      [
        "demo",
        "Walk through the main workflow on a temporary platform"
      ],
      [
        "login",
        "Sign in to a platform with an API key"
      ],
      [
        "whoami",
        "Show the account, platform and profile in use"
      ],
      [
        "doctor",
        "Check configuration, connection and resources"
      ],
      [
        "help",
        "Show help for a command or topic"
      ]
    ]
  },
  {
    "title": "Resources:",
    "rows": [
      [
        "assistants",
        "Voice and chat assistants"
      ],
      [
        "numbers",
        "Search, buy, rename and release phone numbers"
      ],
      [
        "tools",
        "Tools that assistants call during a conversation"
      ],
      [
        "knowledge",
        "Knowledge bases and their documents"
      ],
      [
        "keys",
        "API keys of the account"
      ],
      [
        "sip-trunks",
        "Phone numbers and extensions of your SIP servers"
      ],
      [
        "folders",
        "Folders for assistants"
      ],
      [
        "labels",
        "Labels for assistants"
      ],
      [
        "voices",
        "Voices that assistants can use"
      ],
      [
        "languages",
        "Languages that assistants can speak"
      ],
      [
        "models",
        "Language models that assistants can use"
      ],
      [
        "synthesizers",
        "Text-to-speech providers"
      ],
      [
        "transcribers",
        "Speech-to-text providers"
      ]
    ]
  },
  {
    "title": "Automations and messaging:",
    "rows": [
      [
        "automate, automations, automation",
        "Multi-step workflows with triggers, tests and versions"
      ],
      [
        "messaging",
        "Senders, templates and messages of the messaging channel"
      ],
      [
        "conversations",
        "Read, start and continue conversations"
      ],
      [
        "calls",
        "Phone calls and their transcripts"
      ],
      [
        "campaigns",
        "Call and message campaigns"
      ],
      [
        "leads",
        "Campaign contacts"
      ]
    ]
  },
  {
    "title": "Local platform:",
    "rows": [
      [
        "server",
        "Run and control the local platform"
      ],
      [
        "events",
        "List, watch and trigger events of the local platform"
      ]
    ]
  },
  {
    "title": "Safety and history:",
    "rows": [
      [
        "ops",
        "Journal of purchases, paid messages and automation updates"
      ],
      [
        "history",
        "Changes made by this CLI: compare and undo them"
      ],
      [
        "refs, references",
        "Show which resources depend on each other"
      ]
    ]
  },
  {
    "title": "Configuration as code:",
    "rows": [
      [
        "pull",
        "Export the platform to a folder of YAML files"
      ],
      [
        "diff",
        "Compare local files with the platform"
      ],
      [
        "push",
        "Apply local YAML files to the platform"
      ]
    ]
  },
  {
    "title": "Configuration and scripting:",
    "rows": [
      [
        "profile, profiles",
        "Platforms to connect to, and their API keys"
      ],
      [
        "api",
        "Call any API endpoint by name"
      ],
      [
        "schema",
        "Print the JSON Schema of an endpoint"
      ],
      [
        "commands",
        "Describe every command in machine-readable form"
      ],
      [
        "completion",
        "Print or install shell completion"
      ]
    ]
  },
  {
    "lines": "More: parley <noun> --help, parley help flags, parley help topics"
  }
]
