import { filter, toUndefined } from 'fp-ts/lib/Option.js'
import type { ApplicationRevoked } from '../../application/applications/rotate-application-key.ts'
import type { ApplicationUnknown } from '../../application/recording/change-application.ts'
import { pages } from '../../application/recording/pages.ts'
import { publicApiKey } from '../../domain/api-key.ts'
import {
  type ApplicationProblem,
  type ApplicationRequest,
  canTakeOver,
  type PreviousKey,
  SCOPES,
  scopeText,
} from '../../domain/application.ts'
import type { Invalid } from '../../domain/field.ts'
import { TAKES_OVER } from './applications-finding.ts'
import type { CommandContext } from './command-context.ts'
import { noOtherFailure, runOrFail, withOperations } from './operations.ts'
import { printRecord, printRow, rfc3339 } from './print.ts'

/** `portcullis application create` */
export const applicationCreate = (
  context: CommandContext,
  { json, ...request }: ApplicationRequest & { json: boolean },
): Promise<void> =>
  withOperations(
    context,
    async ({ registerApplication }, asOperator) => {
      const { application, ...keys } = await runOrFail(
        registerApplication(asOperator, request),
        ({ problems }: Invalid<ApplicationProblem>) =>
          problems.map((problem) => SENTENCES[problem]).join('\n'),
      )
      const record = {
        id: application.id,
        name: application.name,
        scope: scopeText(application.scope),
        public_api_key: keys.publicApiKey,
        private_api_key: keys.privateApiKey,
      }
      printRecord(context, { json, record, note: SAVE_KEY })
      if (canTakeOver(application)) context.writeErr(`Warning: ${application.name} ${TAKES_OVER}`)
    },
    'migrate',
  )

/** `portcullis application list`: one per line, oldest first. */
export const applicationList = (context: CommandContext, { json }: { json: boolean }): Promise<void> =>
  withOperations(context, async ({ store }) => {
    const read = (after: string, limit: number) => store.listRows({ table: 'applications', after, limit })
    for await (const page of pages(read, '', ({ id }) => id)) {
      for (const { id, name, scope, previousKey, revoked } of await runOrFail(
        async () => page,
        noOtherFailure,
      )) {
        const record = {
          id,
          name,
          scope: scopeText(scope),
          public_api_key: publicApiKey(id),
          previous_until: rfc3339(toUndefined(filter(isValid)(previousKey))?.untilSeconds),
          revoked,
        }
        printRow(context, { json, record })
      }
    }
  })

const isValid = ({ untilSeconds }: PreviousKey): boolean => Date.now() < untilSeconds * 1000

/** `portcullis application rotate` */
export const applicationRotate = (
  context: CommandContext,
  id: string,
  { overlap, json }: { overlap: number; json: boolean },
): Promise<void> =>
  withOperations(context, async ({ rotateApplicationKey }, asOperator) => {
    const rotated = await runOrFail(
      rotateApplicationKey(asOperator, { id, overlapSeconds: overlap }),
      ({ _tag }: ApplicationUnknown | ApplicationRevoked) => SENTENCES[_tag],
    )
    const record = {
      id: rotated.id,
      public_api_key: rotated.publicApiKey,
      private_api_key: rotated.privateApiKey,
      previous_until: rfc3339(rotated.previousUntilSeconds),
    }
    printRecord(context, { json, record, note: SAVE_KEY })
  })

/** `portcullis application revoke` */
export const applicationRevoke = (
  context: CommandContext,
  id: string,
  { json }: { json: boolean },
): Promise<void> =>
  withOperations(context, async ({ revokeApplication }, asOperator) => {
    const record = await runOrFail(
      revokeApplication(asOperator, id),
      ({ _tag }: ApplicationUnknown) => SENTENCES[_tag],
    )
    printRecord(context, { json, record, note: 'Revoked. Its keys, tokens and sessions no longer work.' })
  })

/** The note beside a new private key. */
const SAVE_KEY = 'Save the private key now. It is shown only once.'

const SENTENCES: Readonly<
  Record<ApplicationProblem | (ApplicationUnknown | ApplicationRevoked)['_tag'], string>
> = {
  NameMalformed: '--name must have 1 to 100 printable characters.',
  ScopeUnknown: `--scope must be one or more of ${SCOPES.join(', ')}, separated by spaces.`,
  ApplicationUnknown: 'No application has this id. See: portcullis application list',
  ApplicationRevoked: 'This application is revoked. Create another: portcullis application create',
}
