import LatchkeyPropertyListDER

/// Replies about the owner's tool.
extension MessageCoding {
    package static let formerHomesPerReply = 256

    static func fields(of tool: OwnersTool) -> [PropertyValue] {
        [
            .boolean(tool.isCaller), tool.path.map { .string($0) } ?? .null,
            .array(
                tool.formerHomes.prefix(formerHomesPerReply).map { home in
                    .array([
                        .string(home.accessGroup), home.path.map { .string($0) } ?? .null, .integer(home.itemCount),
                    ])
                }),
        ]
    }

    static func ownersTool(_ fields: inout MessageFields) throws(MessageCodingFailure) -> OwnersTool {
        let isCaller = try fields.boolean("is the owner's tool")
        let path = try fields.optionalText("path")
        let homes = try fields.elements("former homes", limit: formerHomesPerReply) {
            fields throws(MessageCodingFailure) in
            FormerHome(
                accessGroup: try fields.text("access group"), path: try fields.optionalText("path"),
                itemCount: try fields.count("items"))
        }
        return OwnersTool(isCaller: isCaller, path: path, formerHomes: homes)
    }

    static func fields(of adoption: Adoption) -> [PropertyValue] {
        [adoption.moved, adoption.locked, adoption.guarded, adoption.duplicate, adoption.failed].map { .integer($0) }
    }

    static func adoption(_ fields: inout MessageFields) throws(MessageCodingFailure) -> Adoption {
        var adoption = Adoption()
        adoption.moved = try fields.count("moved items")
        adoption.locked = try fields.count("locked items")
        adoption.guarded = try fields.count("items that ask for a person")
        adoption.duplicate = try fields.count("items that exist already")
        adoption.failed = try fields.count("items that failed")
        return adoption
    }
}
