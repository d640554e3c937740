import Foundation
import Security
import Testing

extension Table {
    /// The values that internet passwords use for protocol and authentication type (2.8, 2.9): each is stored as its
    /// four characters, comes back as them, and makes an item of its own.
    static let namedValues = Table { table in
        for (column, values) in [("ptcl", protocols), ("atyp", authenticationTypes)] {
            for (name, constant, text) in values {
                table.row("2.8, 2.9, 5.3", "\(name) is “\(text)”", only: .internet) { s in
                    s.add([column as CFString: constant.make()])
                    s.expect(s.attributes(of: [column as CFString: constant.make()])[column], is: text, column)
                    s.find([column as CFString: text])
                }
            }
            table.row("5.3", "all values of \(column) are different items", only: .internet) { s in
                for (_, constant, _) in values { s.add([column as CFString: constant.make()]) }
                s.expect(s.count([:]) == values.count, "\(values.count) items")
            }
        }
    }

    private static let protocols: [(String, Sample, String)] = [
        ("kSecAttrProtocolFTP", Sample("") { kSecAttrProtocolFTP }, "ftp "),
        ("kSecAttrProtocolFTPAccount", Sample("") { kSecAttrProtocolFTPAccount }, "ftpa"),
        ("kSecAttrProtocolHTTP", Sample("") { kSecAttrProtocolHTTP }, "http"),
        ("kSecAttrProtocolIRC", Sample("") { kSecAttrProtocolIRC }, "irc "),
        ("kSecAttrProtocolNNTP", Sample("") { kSecAttrProtocolNNTP }, "nntp"),
        ("kSecAttrProtocolPOP3", Sample("") { kSecAttrProtocolPOP3 }, "pop3"),
        ("kSecAttrProtocolSMTP", Sample("") { kSecAttrProtocolSMTP }, "smtp"),
        ("kSecAttrProtocolSOCKS", Sample("") { kSecAttrProtocolSOCKS }, "sox "),
        ("kSecAttrProtocolIMAP", Sample("") { kSecAttrProtocolIMAP }, "imap"),
        ("kSecAttrProtocolLDAP", Sample("") { kSecAttrProtocolLDAP }, "ldap"),
        ("kSecAttrProtocolAppleTalk", Sample("") { kSecAttrProtocolAppleTalk }, "atlk"),
        ("kSecAttrProtocolAFP", Sample("") { kSecAttrProtocolAFP }, "afp "),
        ("kSecAttrProtocolTelnet", Sample("") { kSecAttrProtocolTelnet }, "teln"),
        ("kSecAttrProtocolSSH", Sample("") { kSecAttrProtocolSSH }, "ssh "),
        ("kSecAttrProtocolFTPS", Sample("") { kSecAttrProtocolFTPS }, "ftps"),
        ("kSecAttrProtocolHTTPS", Sample("") { kSecAttrProtocolHTTPS }, "htps"),
        ("kSecAttrProtocolHTTPProxy", Sample("") { kSecAttrProtocolHTTPProxy }, "htpx"),
        ("kSecAttrProtocolHTTPSProxy", Sample("") { kSecAttrProtocolHTTPSProxy }, "htsx"),
        ("kSecAttrProtocolFTPProxy", Sample("") { kSecAttrProtocolFTPProxy }, "ftpx"),
        ("kSecAttrProtocolSMB", Sample("") { kSecAttrProtocolSMB }, "smb "),
        ("kSecAttrProtocolRTSP", Sample("") { kSecAttrProtocolRTSP }, "rtsp"),
        ("kSecAttrProtocolRTSPProxy", Sample("") { kSecAttrProtocolRTSPProxy }, "rtsx"),
        ("kSecAttrProtocolDAAP", Sample("") { kSecAttrProtocolDAAP }, "daap"),
        ("kSecAttrProtocolEPPC", Sample("") { kSecAttrProtocolEPPC }, "eppc"),
        ("kSecAttrProtocolIPP", Sample("") { kSecAttrProtocolIPP }, "ipp "),
        ("kSecAttrProtocolNNTPS", Sample("") { kSecAttrProtocolNNTPS }, "ntps"),
        ("kSecAttrProtocolLDAPS", Sample("") { kSecAttrProtocolLDAPS }, "ldps"),
        ("kSecAttrProtocolTelnetS", Sample("") { kSecAttrProtocolTelnetS }, "tels"),
        ("kSecAttrProtocolIMAPS", Sample("") { kSecAttrProtocolIMAPS }, "imps"),
        ("kSecAttrProtocolIRCS", Sample("") { kSecAttrProtocolIRCS }, "ircs"),
        ("kSecAttrProtocolPOP3S", Sample("") { kSecAttrProtocolPOP3S }, "pops"),
    ]

    private static let authenticationTypes: [(String, Sample, String)] = [
        ("kSecAttrAuthenticationTypeNTLM", Sample("") { kSecAttrAuthenticationTypeNTLM }, "ntlm"),
        ("kSecAttrAuthenticationTypeMSN", Sample("") { kSecAttrAuthenticationTypeMSN }, "msna"),
        ("kSecAttrAuthenticationTypeDPA", Sample("") { kSecAttrAuthenticationTypeDPA }, "dpaa"),
        ("kSecAttrAuthenticationTypeRPA", Sample("") { kSecAttrAuthenticationTypeRPA }, "rpaa"),
        ("kSecAttrAuthenticationTypeHTTPBasic", Sample("") { kSecAttrAuthenticationTypeHTTPBasic }, "http"),
        ("kSecAttrAuthenticationTypeHTTPDigest", Sample("") { kSecAttrAuthenticationTypeHTTPDigest }, "httd"),
        ("kSecAttrAuthenticationTypeHTMLForm", Sample("") { kSecAttrAuthenticationTypeHTMLForm }, "form"),
        ("kSecAttrAuthenticationTypeDefault", Sample("") { kSecAttrAuthenticationTypeDefault }, "dflt"),
    ]
}
