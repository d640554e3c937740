/// The reason why a file with passwords was refused: the line and the rule it breaks. Never its content.
package struct TransferFailure: Error, Sendable, Equatable {
    package enum Rule: String, Sendable, CaseIterable {
        case fileTooLarge = "the file is larger than 16 MiB"
        case tooManyRecords = "there are more than 100000 records"
        case tooManyFields = "the record has more than 64 fields"
        case fieldTooLong = "a field is longer than 1 MiB"
        case quoteInsidePlainField = "a quotation mark stands inside a field that does not begin with one"
        case textAfterQuote = "something stands between a closing quotation mark and the next comma"
        case quoteNotClosed = "a quotation mark is never closed"
        case carriageReturn = "a carriage return stands without a newline"
        case zeroByte = "there is a zero byte, so this is not text"
        case notUTF8 = "the text is not UTF-8"
        case wrongFieldCount = "the record does not have as many fields as the first line"
        case noHeader = "the file is empty"
        case duplicateColumn = "a column is named twice in the first line"
        case unknownColumns = """
            the first line does not name the columns url, username and password (of Bitwarden login_uri, \
            login_username and login_password)
            """
        case badPasswordHex = """
            the column passwordHex is not hexadecimal, or the column password of the same record is not empty
            """
        case badCarriedAttributes = "the column latchkey is not what an export writes"
        case unknownWord = "a word is not machine, default, login, password, account or macdef"
        case valueMissing = "a word has no value behind it"
        case wordBeforeMachine = "login, password or account stands before the first machine"
        case wordTwice = "login, password or account is given twice for one machine"
        case machineAfterDefault = "a machine or a second default stands after default, where no reader would find it"
        case badEscape = "a backslash stands before the end of the line"
    }

    package let rule: Rule
    /// From 1; 0 where no line is to blame.
    package let line: Int

    package init(_ rule: Rule, line: Int = 0) {
        self.rule = rule
        self.line = line
    }
}

/// The limits of every reader of a file with passwords.
package enum TransferLimits {
    package static let fileByteCount = 16 * 1024 * 1024
    package static let recordCount = 100_000
    package static let fieldCount = 64
    package static let fieldByteCount = 1024 * 1024
}
