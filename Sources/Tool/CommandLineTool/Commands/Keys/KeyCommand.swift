package import ArgumentParser

/// `latchkey key`.
package struct KeyCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Keys: make, use and hand out; also keys that never leave the enclave.",
        discussion: """
            A key is named by its label, its application tag, or its application label (--id). For instance:

              latchkey key generate --enclave --label login --require biometry-any
              latchkey key public --label login > login.pem
              latchkey key sign --label login challenge -o challenge.sig
              openssl dgst -sha256 -verify login.pem -signature challenge.sig challenge
            """,
        subcommands: [
            KeyGenerate.self, KeyList.self, KeyPublic.self, KeySign.self, KeyVerify.self, KeyAgree.self,
            KeyDelete.self,
        ])

    package init() {}
}
