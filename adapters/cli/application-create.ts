import type { Invalid } from '../../application/ports/failures.ts'
import type { ApplicationProblem, ApplicationRequest } from '../../domain/application.ts'
import { canTakeOver, SCOPES, scopeText } from '../../domain/application.ts'
import { TAKES_OVER } from './applications-finding.ts'
import type { CommandContext } from './command-context.ts'
import { runOrFail, withOperations } from './operations.ts'
import { printRecord } from './print.ts'

/** `portcullis application create` */
export const applicationCreate = (
  context: CommandContext,
  { json, ...request }: ApplicationRequest & { json: boolean },
): Promise<void> =>
  withOperations(
    context,
    async ({ registerApplication }, asOperator) => {
      const { application, publicApiKey, privateApiKey } = await runOrFail(
        registerApplication(asOperator, request),
        ({ problems }: Invalid<ApplicationProblem>) =>
          problems.map((problem) => SENTENCES[problem]).join('\n'),
      )
      const record = {
        id: application.id,
        name: application.name,
        scope: scopeText(application.scope),
        public_api_key: publicApiKey,
        private_api_key: privateApiKey,
      }
      printRecord(context, { json, record, note: SAVE_KEY })
      if (canTakeOver(application)) context.writeErr(`Warning: ${application.name} ${TAKES_OVER}`)
    },
    'migrate',
  )

/** The note beside a new private key. */
export const SAVE_KEY = 'Save the private key now. It is shown only once.'

const SENTENCES: Readonly<Record<ApplicationProblem, string>> = {
  NameMalformed: '--name must have 1 to 100 printable characters.',
  ScopeUnknown: `--scope must be one or more of ${SCOPES.join(', ')}, separated by spaces.`,
}
