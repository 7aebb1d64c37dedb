export { RecipientsTable } from './RecipientsTable'
