import type { Invalid } from '../../../application/invalid.ts'
import { NO_REQUEST } from '../../../application/recording/recorder.ts'
import type { ApplicationProblem, ApplicationRequest } from '../../../domain/application.ts'
import { SCOPES, scopeText } from '../../../domain/application.ts'
import { orRefuse, withOperations } from './operations.ts'
import { printOne } from './print.ts'
import type { Terminal } from './terminal.ts'

/** `portcullis application create` */
export const applicationCreate = (
  terminal: Terminal,
  { json, ...request }: ApplicationRequest & { json: boolean },
): Promise<void> =>
  withOperations(
    terminal,
    async ({ registerApplication }) => {
      const { application, publicApiKey, privateApiKey } = await orRefuse(
        registerApplication(NO_REQUEST, request),
        ({ problems }: Invalid<ApplicationProblem>) =>
          problems.map((problem) => SENTENCES[problem]).join('\n'),
      )
      const made = {
        id: application.id,
        name: application.name,
        scope: scopeText(application.scope),
        public_api_key: publicApiKey,
        private_api_key: privateApiKey,
      }
      printOne(terminal, json, made, KEEP_IT)
    },
    'migrate',
  )

/** What is said beside a new private key. */
export const KEEP_IT = 'Keep the private key now: it is shown this once.'

const SENTENCES: Readonly<Record<ApplicationProblem, string>> = {
  NameMalformed: '--name takes 1 to 100 printable characters.',
  ScopeUnknown: `--scope takes one or several of ${SCOPES.join(', ')}, with spaces between them.`,
}
