/** The exports of directories and of tools for registrations and meetings, and the formats in which schools exchange users. */
import type { RosterFormat } from './roster-format.ts';

const oneRosterIds =
  `sourcedId dateLastModified orgSourcedIds primaryOrgSourcedId username userIds identifier userMasterIdentifier resourceSourcedIds
  agentSourcedIds middleName preferredGivenName preferredMiddleName preferredFamilyName pronouns sms phone password`.split(/\s+/);

const enabledUsers = [
  { column: 'status', only: ['', 'active'], except: ['tobedeleted'] },
  { column: 'enabledUser', only: ['true'], except: ['false'] },
] as const;

export const directories = [
  {
    name: 'a OneRoster 1.1 users file',
    marks: [['sourcedId', 'enabledUser', 'role', 'givenName', 'familyName']],
    decides: [
      {
        column: 'role',
        only: ['student'],
        except: ['administrator', 'aide', 'guardian', 'parent', 'proctor', 'relative', 'teacher'],
      },
      ...enabledUsers,
    ],
    others: oneRosterIds,
  },
  {
    name: 'a OneRoster 1.2 users file',
    marks: [['sourcedId', 'enabledUser', 'givenName', 'familyName']],
    decides: enabledUsers,
    others: oneRosterIds,
    roles: 'roles.csv',
  },
  {
    name: 'a Microsoft SDS users file',
    marks: [
      ['sourcedId', 'username', 'givenName', 'familyName'],
      ['sourcedId', 'username', 'activeDirectoryMatchId'],
    ],
    columns: { email: ['email', 'username'] },
    others: [...oneRosterIds, 'activeDirectoryMatchId'],
    roles: 'roles.csv',
  },
  {
    name: 'a Microsoft SDS student file',
    marks: [['SIS ID', 'School SIS ID', 'Username']],
    columns: { email: ['Email', 'Username'] },
    others: ['SIS ID', 'Username', 'Password'],
  },
  {
    name: 'a Google Workspace users file',
    marks: [['First Name', 'Last Name', 'Email Address', 'Org Unit Path']],
    decides: [{ column: 'Status', only: ['Active'], except: ['Suspended'] }],
    others: [
      ...['Password', 'Password Hash Function', 'New Primary Email', 'Last Sign In', 'Recovery Email', 'Home Secondary Email'],
      ...['Work Secondary Email', 'Employee ID'],
    ],
  },
  {
    name: 'an export of Microsoft Entra users',
    marks: [['userPrincipalName', 'surname', 'mail', 'givenName', 'userType', 'accountEnabled']],
    decides: [
      { column: 'userType', only: ['Member'], except: ['Guest'] },
      { column: 'accountEnabled', only: ['True'], except: ['False'] },
    ],
    others: ['userPrincipalName', 'displayName', 'id'],
  },
  {
    name: 'an export of Active Directory users',
    marks: [['DistinguishedName', 'EmailAddress', 'Enabled', 'GivenName', 'ObjectClass', 'SamAccountName', 'Surname']],
    decides: [
      { column: 'ObjectClass', only: ['user'], except: [] },
      { column: 'Enabled', only: ['True'], except: ['False'] },
    ],
    others: ['SamAccountName', 'ObjectGUID', 'SID', 'UserPrincipalName'],
  },
  {
    name: 'an Okta list of users',
    marks: [['login', 'firstName', 'lastName', 'email', 'status', 'userType']],
    decides: [
      { column: 'status', only: ['ACTIVE'], except: ['DEPROVISIONED'] },
      { column: 'userType', only: ['Student'], except: ['Faculty'] },
    ],
    others: ['login'],
  },
  {
    name: 'a CiviCRM list of participants',
    marks: [['Participant Name', 'Participant Email', 'Participant Status', 'Participant Role']],
    nameOrder: 'last, first',
    decides: [
      { column: 'Participant Status', only: ['Registered'], except: ['Cancelled'] },
      { column: 'Participant Role', only: ['Attendee'], except: ['Speaker'] },
    ],
  },
  {
    name: 'pretix order positions',
    marks: [['Order code', 'Position ID', 'Status', 'E-mail', 'Attendee name', 'Attendee email']],
    columns: { email: ['Attendee email'], name: ['Attendee name'] },
    decides: [{ column: 'Status', only: ['Paid'], except: ['Canceled'] }],
    others: ['Order code', 'Position ID', 'E-mail'],
  },
  {
    name: 'an Eventbrite list of attendees',
    marks: [['Order #', 'Order Date', 'First Name', 'Last Name', 'Email', 'Attendee Status']],
    decides: [{ column: 'Attendee Status', only: ['Attending', 'Checked In'], except: ['Refunded'] }],
    others: ['Order #', 'Order Date'],
  },
  {
    name: 'a Zoom list of registrations',
    marks: [['First Name', 'Last Name', 'Email', 'Registration Time', 'Approval Status']],
    decides: [{ column: 'Approval Status', only: ['approved'], except: ['denied', 'pending'] }],
    others: ['Registration Time'],
  },
  {
    name: 'a Microsoft Teams attendance report',
    marks: [['Name', 'First Join', 'Last Leave', 'In-Meeting Duration', 'Email', 'Participant ID (UPN)', 'Role']],
    decides: [{ column: 'Role', only: ['Attendee'], except: ['Organizer'] }],
    others: ['First Join', 'Last Leave', 'In-Meeting Duration', 'Participant ID (UPN)'],
  },
  {
    name: 'answers of a Microsoft form',
    marks: [['ID', 'Start time', 'Completion time', 'Email', 'Name']],
    others: ['ID', 'Start time', 'Completion time'],
  },
] as const satisfies readonly RosterFormat[];
